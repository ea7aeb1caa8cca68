// Which loops a first body can leave, and which it cannot.

#include "tests/compiler/loop_count.h"

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

LoopCount Count(absl::string_view text) {
  absl::StatusOr<LoopCount> count = CountLoops(ParseToBitcode(text));
  EXPECT_THAT(count.status(), IsOk());
  return count.ok() ? *count : LoopCount();
}

// Behind four loops that are entered first, and with more live values than there are registers.
TEST(LoopCountTest, EveryLoopOfAnOrdinaryFunctionCanBeLeft) {
  const LoopCount count = Count(R"(
    declare void @look(i64, double, ptr)
    define i64 @f(i64 %n, double %x, <4 x i32> %v) {
    entry:
      %variable = alloca [4 x i64]
      br label %a
    a:
      %i = phi i64 [ 0, %entry ], [ %i1, %a ]
      %i1 = add i64 %i, 1
      %c = icmp slt i64 %i1, %n
      br i1 %c, label %a, label %b
    b:
      %j = phi i64 [ %i, %a ], [ %j1, %b2 ]
      %j1 = add i64 %j, 1
      br label %b2
    b2:
      call void @look(i64 %i1, double %x, ptr %variable)
      %d = icmp slt i64 %j1, %n
      br i1 %d, label %b, label %e
    e:
      %w = phi <4 x i32> [ %v, %b2 ], [ %w1, %e ]
      %w1 = add <4 x i32> %w, %v
      %h = extractelement <4 x i32> %w1, i32 0
      %g = icmp slt i32 %h, 100
      br i1 %g, label %e, label %out
    out:
      ret i64 %j1
    })");
  EXPECT_EQ(count.loops, 3u);
  EXPECT_EQ(count.leavable, 3u);
  EXPECT_THAT(count.others, IsEmpty());
}

TEST(LoopCountTest, LoopsOfLocalFunctionsAreCounted) {
  const LoopCount count = Count(R"(
    define internal void @local(i64 %n) {
      br label %loop
    loop:
      %i = phi i64 [ 0, %0 ], [ %i1, %loop ]
      %i1 = add i64 %i, 1
      %c = icmp slt i64 %i1, %n
      br i1 %c, label %loop, label %out
    out:
      ret void
    }
    define void @f() { call void @local(i64 3)  ret void })");
  EXPECT_EQ(count.loops, 1u);
  EXPECT_EQ(count.leavable, 1u);
}

TEST(LoopCountTest, AFunctionThatNeedsItsFrameKeepsItsLoops) {
  const LoopCount count = Count(R"(
    declare i32 @setjmp(ptr) returns_twice
    define void @f(ptr %buffer) {
    entry:
      br label %loop
    loop:
      %r = call i32 @setjmp(ptr %buffer) returns_twice
      %c = icmp eq i32 %r, 0
      br i1 %c, label %loop, label %out
    out:
      ret void
    })");
  EXPECT_EQ(count.loops, 1u);
  EXPECT_EQ(count.leavable, 0u);
  EXPECT_THAT(count.others, ElementsAre(Pair("no continuation can be made there", 1)));
}

}  // namespace
}  // namespace firstcall

// Also tests block_frequencies.

#include "direct/likely_calls.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Function.h"
#include "splitter/likely_calls.h"
#include "tests/direct/read_both_ways.h"

namespace firstcall::direct {
namespace {

using ::testing::ElementsAre;

// What a function with this body calls, in the order that LLVM gives, too.
std::vector<std::string> Callees(absl::string_view body) {
  ReadBothWays read(absl::StrCat(R"(
    declare void @a()
    declare void @b()
    declare void @c()
    declare void @rare() cold
    define void @f(i1 %x, i32 %n) {
    )",
                                 body, "\n}"));
  if (!read.ok()) return {"not read"};
  std::vector<std::string> expected;
  for (const llvm::Function* callee : firstcall::LikelyCallees(read.LlvmBody("f"))) {
    expected.push_back(callee->getName().str());
  }
  std::vector<std::string> callees;
  for (uint32_t callee : LikelyCallees(read.Body("f"))) callees.push_back(read.NameOf(callee));
  EXPECT_EQ(callees, expected);
  return callees;
}

TEST(LikelyCallsTest, ThoseInLoopsComeFirst) {
  EXPECT_THAT(Callees(R"(
      call void @a()
      br label %outer
    outer:
      %i = phi i32 [ 0, %0 ], [ %next, %after ]
      br label %inner
    inner:
      %j = phi i32 [ 0, %outer ], [ %more, %inner ]
      call void @c()
      %more = add i32 %j, 1
      %inside = icmp slt i32 %more, %n
      br i1 %inside, label %inner, label %after
    after:
      call void @b()
      %next = add i32 %i, 1
      %again = icmp slt i32 %next, %n
      br i1 %again, label %outer, label %end
    end:
      ret void)"),
              ElementsAre("c", "b", "a"));
}

TEST(LikelyCallsTest, RareOnesComeLast) {
  EXPECT_THAT(Callees(R"(
      br i1 %x, label %error, label %fine
    error:
      call void @b()
      unreachable
    fine:
      br i1 %x, label %cold, label %warm
    cold:
      call void @rare()
      br label %end
    warm:
      call void @a()
      br label %end
    end:
      call void @c()
      call void @f(i1 %x, i32 %n)
      ret void)"),
              ElementsAre("c", "a", "rare", "b"));
}

}  // namespace
}  // namespace firstcall::direct

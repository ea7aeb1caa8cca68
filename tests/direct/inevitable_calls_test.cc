// Also tests post_dominators.

#include "direct/inevitable_calls.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Function.h"
#include "splitter/inevitable_calls.h"
#include "tests/direct/read_both_ways.h"

namespace firstcall::direct {
namespace {

using ::testing::ElementsAre;

constexpr char kModule[] = R"(
  declare void @a()
  declare void @b()
  declare void @c()
  declare void @d()
  declare void @stop() noreturn
  declare i32 @__gxx_personality_v0(...)
  declare void @llvm.donothing()
  define void @f(i1 %x, i1 %y) personality ptr @__gxx_personality_v0 {
  )";

// What a function with this body always calls, as LLVM and as this project finds it.
std::vector<std::string> Callees(absl::string_view body) {
  ReadBothWays read(absl::StrCat(kModule, body, "\n}"));
  if (!read.ok()) return {"not read"};
  std::vector<std::string> expected;
  for (const llvm::Function* callee : firstcall::InevitableCallees(read.LlvmBody("f"))) {
    expected.push_back(callee->getName().str());
  }
  std::vector<std::string> callees;
  for (uint32_t callee : InevitableCallees(read.Body("f"))) callees.push_back(read.NameOf(callee));
  EXPECT_EQ(callees, expected);
  return callees;
}

TEST(InevitableCallsTest, AreThoseOnEveryPath) {
  EXPECT_THAT(Callees("call void @a() call void @llvm.donothing() call void @b() ret void"),
              ElementsAre("a", "b"));
  EXPECT_THAT(Callees(R"(
      call void @a()
      br i1 %x, label %left, label %right
    left:
      call void @b()
      br label %end
    right:
      call void @c()
      br label %end
    end:
      call void @d()
      ret void)"),
              ElementsAre("a", "d"));
}

TEST(InevitableCallsTest, EndWhereACallDoesNotReturn) {
  EXPECT_THAT(Callees("call void @stop() call void @a() ret void"), ElementsAre("stop"));
  EXPECT_THAT(Callees("call void @a() noreturn call void @b() ret void"), ElementsAre("a"));
}

TEST(InevitableCallsTest, FollowTheNormalWayOfInvokes) {
  EXPECT_THAT(Callees(R"(
      invoke void @a() to label %next unwind label %pad
    next:
      invoke void @b() to label %end unwind label %pad
    pad:
      %l = landingpad { ptr, i32 } cleanup
      call void @d()
      resume { ptr, i32 } %l
    end:
      call void @c()
      ret void)"),
              ElementsAre("a", "b", "c"));
}

TEST(InevitableCallsTest, AreFoundInLoopsWithoutEnd) {
  Callees(R"(
      br i1 %x, label %loop, label %other
    loop:
      call void @a()
      br i1 %y, label %left, label %right
    left:
      call void @b()
      br label %back
    right:
      call void @c()
      br label %back
    back:
      br label %loop
    other:
      call void @d()
      br label %loop)");
  Callees(R"(
      call void @a()
      br i1 %x, label %one, label %two
    one:
      call void @b()
      br i1 %y, label %one, label %two
    two:
      call void @c()
      br i1 %y, label %one, label %three
    three:
      call void @d()
      br label %three)");
}

TEST(InevitableCallsTest, OfManyBlocksAreThoseBeforeTheFirstBranch) {
  std::string body = "call void @a() br label %b1\n";
  for (int i = 1; i <= 60; ++i) {
    absl::StrAppend(&body, "b", i, ": ", i == 2 ? "call void @b() " : "",
                    i == 30  ? "call void @c() br i1 %x, label %b31, label %b32\n"
                    : i < 60 ? absl::StrCat("br label %b", i + 1, "\n")
                             : "call void @d() ret void");
  }
  EXPECT_THAT(Callees(body), ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace firstcall::direct

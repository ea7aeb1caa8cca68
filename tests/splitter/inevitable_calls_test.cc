#include "splitter/inevitable_calls.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Of the function @f in a module that declares @a, @b, @c and @stop.
std::vector<std::string> CalleesOf(const std::string& body) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(
      "declare void @a()\n declare void @b()\n declare void @c()\n declare void @stop() noreturn\n"
      "declare i32 @personality(...)\n" +
          body,
      context);
  std::vector<std::string> names;
  for (llvm::Function* callee : InevitableCallees(*module->getFunction("f"))) {
    names.push_back(callee->getName().str());
  }
  return names;
}

TEST(InevitableCallsTest, CallsOfAStraightFunctionInOrder) {
  EXPECT_THAT(CalleesOf("define void @f() { call void @b() call void @a() ret void }"),
              ElementsAre("b", "a"));
}

TEST(InevitableCallsTest, BranchesAreNotBoundToBeTaken) {
  EXPECT_THAT(CalleesOf(R"(
    define void @f(i1 %x) {
      br i1 %x, label %yes, label %no
    yes:
      call void @a()
      br label %end
    no:
      call void @b()
      br label %end
    end:
      call void @c()
      ret void
    })"),
              ElementsAre("c"));
}

TEST(InevitableCallsTest, EarlyReturnHidesWhatFollows) {
  EXPECT_THAT(CalleesOf(R"(
    define void @f(i1 %x) {
      br i1 %x, label %out, label %on
    out:
      ret void
    on:
      call void @a()
      ret void
    })"),
              IsEmpty());
}

TEST(InevitableCallsTest, LoopBodyThatMayRunZeroTimesDoesNotCount) {
  EXPECT_THAT(CalleesOf(R"(
    define void @f(i32 %n) {
    entry:
      br label %head
    head:
      %i = phi i32 [ 0, %entry ], [ %next, %body ]
      %more = icmp slt i32 %i, %n
      br i1 %more, label %body, label %end
    body:
      call void @a()
      %next = add i32 %i, 1
      br label %head
    end:
      call void @b()
      ret void
    })"),
              ElementsAre("b"));
}

TEST(InevitableCallsTest, NothingFollowsACallThatDoesNotReturn) {
  EXPECT_THAT(CalleesOf("define void @f() { call void @a() call void @stop() unreachable }"),
              ElementsAre("a", "stop"));
}

TEST(InevitableCallsTest, NormalWayOfAnInvokeCounts) {
  EXPECT_THAT(CalleesOf(R"(
    define void @f() personality ptr @personality {
      invoke void @a() to label %on unwind label %pad
    on:
      call void @b()
      ret void
    pad:
      %caught = landingpad { ptr, i32 } cleanup
      call void @c()
      resume { ptr, i32 } %caught
    })"),
              ElementsAre("a", "b"));
}

TEST(InevitableCallsTest, IndirectCallsAreUnknown) {
  EXPECT_THAT(CalleesOf("define void @f(ptr %p) { call void %p() ret void }"), IsEmpty());
}

TEST(InevitableCallsTest, EndlessLoopEnds) {
  EXPECT_THAT(CalleesOf(R"(
    define void @f() {
      br label %loop
    loop:
      call void @a()
      br label %loop
    })"),
              ::testing::Contains("a"));
}

}  // namespace
}  // namespace firstcall

#include "splitter/osr/variable_liveness.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class VariableLivenessTest : public ::testing::Test {
 protected:
  // The variables of @f that live at the beginning of `point`.
  std::vector<std::string> LiveAt(const std::string& point, const std::string& text) {
    module_ = ParseModule(text, context_);
    if (module_ == nullptr) return {};
    llvm::Function& f = *module_->getFunction("f");
    std::vector<llvm::AllocaInst*> variables;
    for (llvm::Instruction& instruction : f.getEntryBlock()) {
      if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        variables.push_back(variable);
      }
    }
    // Others must make no difference.
    const BlockGraph graph(f);
    std::vector<unsigned> points;
    size_t at = 0;
    for (llvm::BasicBlock& block : f) {
      if (&block == &f.getEntryBlock()) continue;
      if (block.getName() == point) at = points.size();
      points.push_back(graph.Number(block));
    }
    const VariableLiveness liveness(graph, variables, points);
    std::vector<std::string> live;
    for (size_t i = 0; i < variables.size(); ++i) {
      if (liveness.IsLive(i, at)) live.push_back(variables[i]->getName().str());
    }
    return live;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

// A loop with `statements` in it and others behind it.
std::string Loop(const std::string& statements, const std::string& behind = "") {
  return absl::StrCat(R"(
    @sink = global ptr null
    declare void @use(ptr)
    declare ptr @pass(ptr)
    declare void @llvm.assume(i1)
    declare void @llvm.lifetime.start.p0(i64, ptr)
    declare void @llvm.lifetime.end.p0(i64, ptr)
    define void @f(i1 %more) {
    entry:
      %a = alloca i32
      %b = alloca i32
      br label %loop
    loop:
      )",
                      statements, R"(
      br i1 %more, label %loop, label %end
    end:
      )",
                      behind, R"(
      ret void
    })");
}

TEST_F(VariableLivenessTest, WhatIsReadBeforeItIsWritten) {
  EXPECT_THAT(LiveAt("loop", Loop("")), IsEmpty());
  EXPECT_THAT(LiveAt("loop", Loop("%x = load i32, ptr %a\nstore i32 1, ptr %a")), ElementsAre("a"));
  EXPECT_THAT(LiveAt("loop", Loop("store i32 1, ptr %a\n%x = load i32, ptr %a")), IsEmpty());
  EXPECT_THAT(LiveAt("loop", Loop("", "%x = load i32, ptr %b")), ElementsAre("b"));
  EXPECT_THAT(LiveAt("loop", Loop("store i32 1, ptr %b", "%x = load i32, ptr %b")), IsEmpty());
}

TEST_F(VariableLivenessTest, WhatIsWrittenOnOneWayOnly) {
  const std::string text = R"(
    define i32 @f(i1 %c) {
    entry:
      %a = alloca i32
      %b = alloca i32
      store i32 0, ptr %a
      store i32 0, ptr %b
      br label %fork
    fork:
      br i1 %c, label %left, label %right
    left:
      store i32 1, ptr %a
      store i32 1, ptr %b
      br label %join
    right:
      store i32 2, ptr %b
      br label %join
    join:
      %x = load i32, ptr %a
      %y = load i32, ptr %b
      %r = add i32 %x, %y
      ret i32 %r
    })";
  EXPECT_THAT(LiveAt("fork", text), ElementsAre("a"));
  EXPECT_THAT(LiveAt("left", text), IsEmpty());
  EXPECT_THAT(LiveAt("right", text), ElementsAre("a"));
  EXPECT_THAT(LiveAt("join", text), ElementsAre("a", "b"));
}

TEST_F(VariableLivenessTest, NothingIsReadOnAWayThatIsNeverGone) {
  const std::string text = R"(
    define i32 @f() {
    entry:
      %a = alloca i32
      br label %point
    point:
      br i1 CONDITION, label %read, label %end
    read:
      %x = load i32, ptr %a
      ret i32 %x
    end:
      ret i32 0
    })";
  const auto with = [&](const std::string& condition) {
    std::string changed = text;
    return changed.replace(changed.find("CONDITION"), 9, condition);
  };
  EXPECT_THAT(LiveAt("point", with("false")), IsEmpty());
  EXPECT_THAT(LiveAt("point", with("true")), ElementsAre("a"));
}

TEST_F(VariableLivenessTest, ALifetimeThatBeginsOrEndsForgetsWhatWasThere) {
  EXPECT_THAT(LiveAt("loop", Loop("call void @llvm.lifetime.start.p0(i64 4, ptr %a)\n"
                                  "%x = load i32, ptr %a")),
              IsEmpty());
  EXPECT_THAT(LiveAt("loop", Loop("call void @llvm.lifetime.end.p0(i64 4, ptr %a)\n"
                                  "%x = load i32, ptr %a")),
              IsEmpty());
}

TEST_F(VariableLivenessTest, WhatOnlyLooksAtTheAddressForgetsNothing) {
  EXPECT_THAT(LiveAt("loop", Loop("call void @llvm.assume(i1 true) [\"nonnull\"(ptr %a)]\n"
                                  "%p = getelementptr i32, ptr %b, i32 0\n"
                                  "%x = load i32, ptr %a\n%y = load i32, ptr %b")),
              ElementsAre("a", "b"));
}

TEST_F(VariableLivenessTest, WhatOthersHaveTheAddressOfLivesWhereItsLifetimeSays) {
  // Nothing says.
  EXPECT_THAT(LiveAt("loop", Loop("call void @use(ptr %a)")), ElementsAre("a"));
  EXPECT_THAT(LiveAt("end", Loop("store volatile i32 1, ptr %b")), ElementsAre("b"));
  const std::string inside = Loop(R"(
    call void @llvm.lifetime.start.p0(i64 4, ptr %a)
    call void @use(ptr %a)
    br label %middle
  middle:
    call void @llvm.lifetime.end.p0(i64 4, ptr %a))");
  EXPECT_THAT(LiveAt("end", inside), IsEmpty());
  const std::string across = Loop(R"(
    %first = load volatile i1, ptr %b
    br i1 %first, label %begin, label %on
  begin:
    call void @llvm.lifetime.start.p0(i64 4, ptr %a)
    call void @use(ptr %a)
    br label %on
  on:)");
  EXPECT_THAT(LiveAt("loop", across), ElementsAre("a", "b"));
  EXPECT_THAT(LiveAt("end", across), ElementsAre("a", "b"));
}

// The address would outlive what is in it.
TEST_F(VariableLivenessTest, WhatMemoryHasTheAddressOfLives) {
  const auto inside = [](const std::string& use) {
    return Loop("call void @llvm.lifetime.start.p0(i64 4, ptr %a)\n" + use +
                "\ncall void @llvm.lifetime.end.p0(i64 4, ptr %a)");
  };
  EXPECT_THAT(LiveAt("loop", inside("call void @use(ptr %a)")), IsEmpty());
  EXPECT_THAT(LiveAt("loop", inside("store ptr %a, ptr @sink")), ElementsAre("a"));
  EXPECT_THAT(LiveAt("loop", inside("%p = getelementptr i8, ptr %a, i64 1\n"
                                    "store ptr %p, ptr @sink")),
              ElementsAre("a"));
  EXPECT_THAT(LiveAt("loop", inside("%p = call ptr @pass(ptr %a)")), ElementsAre("a"));
}

// Where there are too many, all live.
TEST_F(VariableLivenessTest, WhatWouldTakeTooLongLives) {
  const auto text = [](int variables, int blocks) {
    std::string f = "define void @f() {\nentry:\n";
    for (int i = 0; i < variables; ++i) absl::StrAppend(&f, "%v", i, " = alloca i32\n");
    absl::StrAppend(&f, "%dead = alloca i32\nbr label %b0\n");
    for (int i = 0; i < blocks; ++i) absl::StrAppend(&f, "b", i, ":\nbr label %b", i + 1, "\n");
    absl::StrAppend(&f, "b", blocks, ":\n");
    for (int i = 0; i < variables; ++i) {
      absl::StrAppend(&f, "%x", i, " = load i32, ptr %v", i, "\n");
    }
    return absl::StrCat(f, "store i32 0, ptr %dead\n%d = load i32, ptr %dead\nret void }");
  };
  EXPECT_THAT(LiveAt("b0", text(100, 1000)), SizeIs(100));
  EXPECT_THAT(LiveAt("b0", text(6000, 6000)), SizeIs(6001));
}

}  // namespace
}  // namespace firstcall

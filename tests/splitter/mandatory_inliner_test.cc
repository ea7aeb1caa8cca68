#include "splitter/mandatory_inliner.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class MandatoryInlinerTest : public ::testing::Test {
 protected:
  void Load(const std::string& text) { module_ = ParseModule(text, context_); }

  // The text of `function` after its mandatory calls, but for those of `refused`, were inlined.
  std::string Inline(const std::string& function, const std::string& refused = "") {
    llvm::Function& asked = *module_->getFunction(function);
    InlineMandatoryCalls(
        asked, [&](llvm::Function& callee) { return callee.getName() != refused; },
        [&](const llvm::Function& caller, const llvm::Function& callee) {
          inlined_.push_back(callee.getName().str() + " into " + caller.getName().str());
        });
    std::string text;
    llvm::raw_string_ostream stream(text);
    EXPECT_FALSE(llvm::verifyModule(*module_, &stream)) << text;
    asked.print(stream);
    return text;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::vector<std::string> inlined_;
};

TEST_F(MandatoryInlinerTest, InlinesWhatMustBeInlinedAndNothingElse) {
  Load(R"(
    define available_externally i32 @must() alwaysinline { ret i32 42 }
    define internal i32 @may() { ret i32 1 }
    define i32 @f() noinline optnone {
      %x = call i32 @must()
      %y = call i32 @may()
      %z = sub i32 %x, %y
      ret i32 %z
    })");
  EXPECT_THAT(Inline("f"), AllOf(HasSubstr("call i32 @may()"), HasSubstr("sub i32 42, %y"),
                                 Not(HasSubstr("@must"))));
}

TEST_F(MandatoryInlinerTest, InlinesWhatIsInlinedIntoTheCallee) {
  std::string text = "define i32 @f0(i32 %x) alwaysinline { ret i32 %x }\n";
  for (int i = 1; i < 10000; ++i) {
    absl::StrAppend(&text, "define i32 @f", i, "(i32 %x) alwaysinline { %y = call i32 @f", i - 1,
                    "(i32 %x) ret i32 %y }\n");
  }
  Load(text + "define i32 @f(i32 %x) { %y = call i32 @f9999(i32 %x) ret i32 %y }");
  EXPECT_THAT(Inline("f"), AllOf(HasSubstr("ret i32 %x"), Not(HasSubstr("call"))));
}

TEST_F(MandatoryInlinerTest, LeavesCallsThatForbidIt) {
  Load(R"(
    define void @must() alwaysinline { ret void }
    define void @f() { call void @must() noinline ret void })");
  EXPECT_THAT(Inline("f"), HasSubstr("call void @must()"));
}

TEST_F(MandatoryInlinerTest, LeavesWhatIsRefused) {
  Load(R"(
    define void @must() alwaysinline { ret void }
    define void @f() { call void @must() ret void })");
  EXPECT_THAT(Inline("f", "must"), HasSubstr("call void @must()"));
}

TEST_F(MandatoryInlinerTest, LeavesWhatCannotBeInlined) {
  Load(R"(
    declare void @elsewhere() alwaysinline
    define void @recurses(i1 %again) alwaysinline {
      br i1 %again, label %more, label %done
    more:
      call void @recurses(i1 false)
      br label %done
    done:
      ret void
    }
    define void @f() { call void @recurses(i1 true) call void @elsewhere() ret void })");
  EXPECT_THAT(Inline("f"), AllOf(HasSubstr("call void @recurses(i1 true)"),
                                 HasSubstr("call void @elsewhere()")));
}

TEST_F(MandatoryInlinerTest, ACallThatSaysSoItselfIsInlinedIfNothingElseHasTheCallee) {
  Load(R"(
    define available_externally i32 @there() { ret i32 1 }
    define i32 @here() { ret i32 2 }
    define i32 @f() {
      %x = call i32 @there() alwaysinline
      %y = call i32 @here() alwaysinline
      %z = sub i32 %x, %y
      ret i32 %z
    })");
  EXPECT_THAT(Inline("f"), HasSubstr("sub i32 1, %y"));
}

constexpr char kCycle[] = R"(
  define void @a(i1 %x) alwaysinline {
    br i1 %x, label %more, label %done
  more:
    call void @b(i1 %x)
    br label %done
  done:
    ret void
  }
  define void @b(i1 %x) alwaysinline {
    call void @leaf(i1 %x)
    call void @a(i1 %x)
    ret void
  }
  define void @leaf(i1 %x) alwaysinline { call void @outside(i1 %x) ret void }
  declare void @outside(i1)
  define void @f(i1 %x) { call void @a(i1 %x) ret void }
  define void @g(i1 %x) { call void @b(i1 %x) ret void })";

TEST_F(MandatoryInlinerTest, LeavesCallsWithinACycle) {
  Load(kCycle);
  EXPECT_THAT(Inline("f"), AllOf(HasSubstr("call void @b("), Not(HasSubstr("call void @a("))));
  EXPECT_THAT(Inline("g"), AllOf(HasSubstr("call void @a("), HasSubstr("call void @outside("),
                                 Not(HasSubstr("call void @leaf("))));
}

TEST_F(MandatoryInlinerTest, TheResultDependsOnNothingThatWasDoneBefore) {
  Load(kCycle);
  const std::string f = Inline("f"), b = Inline("b");
  Load(kCycle);
  EXPECT_EQ(Inline("b"), b);
  Inline("leaf");
  Inline("a");
  Inline("g");
  EXPECT_EQ(Inline("f"), f);
  EXPECT_EQ(Inline("f"), f) << "what is left must not be inlined the next time";
}

TEST_F(MandatoryInlinerTest, FindsOutWhereThereIsNothingToDo) {
  Load("define void @f() { ret void }\n define linkonce_odr void @g() noinline { ret void }");
  EXPECT_FALSE(MayHaveMandatoryCalls(*module_));
  Load("define internal void @f() alwaysinline { ret void }");
  EXPECT_TRUE(MayHaveMandatoryCalls(*module_));
}

TEST_F(MandatoryInlinerTest, TellsWhatWasInlinedIntoTheCalleeFirst) {
  Load(R"(
    define internal i32 @inner() alwaysinline { ret i32 42 }
    define internal i32 @outer() alwaysinline { %r = call i32 @inner() ret i32 %r }
    define i32 @f() { %r = call i32 @outer() ret i32 %r }
    define i32 @g() { %r = call i32 @outer() ret i32 %r })");
  Inline("f");
  EXPECT_THAT(inlined_, ::testing::ElementsAre("inner into outer", "outer into f"));
  inlined_.clear();
  Inline("g");
  EXPECT_THAT(inlined_, ::testing::ElementsAre("outer into g"));
}

}  // namespace
}  // namespace firstcall

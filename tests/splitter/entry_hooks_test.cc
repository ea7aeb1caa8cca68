#include "splitter/entry_hooks.h"

#include <memory>

#include "gtest/gtest.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "splitter/body_copier.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

constexpr char kEnter[] = "__cyg_profile_func_enter";
constexpr char kExit[] = "__cyg_profile_func_exit";

class EntryHooksTest : public ::testing::Test {
 protected:
  llvm::Function& Get(const char* name) { return *module_->getFunction(name); }

  // The only call of `hook`.
  llvm::CallBase& CallOf(const char* hook) {
    EXPECT_EQ(Get(hook).getNumUses(), 1u);
    return *llvm::cast<llvm::CallBase>(*Get(hook).user_begin());
  }

  llvm::LLVMContext context_;
  const std::unique_ptr<llvm::Module> module_ = ParseModule(R"(
    define void @f() "instrument-function-entry"="__cyg_profile_func_enter"
                     "instrument-function-exit"="__cyg_profile_func_exit" {
      ret void
    }
    define void @g() "instrument-function-entry-inlined"="__cyg_profile_func_enter"
                     "instrument-function-exit-inlined"="__cyg_profile_func_exit" {
      call void @g()
      ret void
    }
    define void @none() { ret void })",
                                                            context_);
};

TEST_F(EntryHooksTest, AreCalledOnceAtEntryAndExit) {
  CallHooksOfFunction(Get("f"));
  CallHooksOfFunction(Get("f"));
  EXPECT_EQ(CallOf(kEnter).getFunction(), &Get("f"));
  EXPECT_EQ(CallOf(kExit).getFunction(), &Get("f"));
  EXPECT_EQ(CallOf(kEnter).getArgOperand(0), &Get("f"));
}

TEST_F(EntryHooksTest, ThoseOfABodyAreAnotherKind) {
  EXPECT_FALSE(HasHooksOfBody(Get("f")));
  EXPECT_TRUE(HasHooksOfBody(Get("g")));
  CallHooksOfFunction(Get("g"));
  CallHooksOfBody(Get("f"), Get("f"));
  CallHooksOfBody(Get("none"), Get("none"));
  EXPECT_EQ(module_->getFunction(kEnter), nullptr);
}

TEST_F(EntryHooksTest, ThoseOfABodyAreCalledOnce) {
  CallHooksOfBody(Get("g"), Get("g"));
  EXPECT_FALSE(HasHooksOfBody(Get("g"))) << "the code generator must not call them again";
  CallHooksOfBody(Get("g"), Get("g"));
  EXPECT_EQ(CallOf(kEnter).getArgOperand(0), &Get("g"));
  EXPECT_EQ(CallOf(kExit).getArgOperand(0), &Get("g"));
}

TEST_F(EntryHooksTest, ThoseOfACopyAreToldTheFunction) {
  llvm::Function* const copy = CloneInView(Get("g"));
  CallHooksOfBody(*copy, Get("g"));
  EXPECT_TRUE(HasHooksOfBody(Get("g")));
  EXPECT_EQ(CallOf(kEnter).getFunction(), copy);
  EXPECT_EQ(CallOf(kEnter).getArgOperand(0), &Get("g"));
  EXPECT_TRUE(copy->use_empty());
  EXPECT_FALSE(llvm::verifyModule(*module_));
}

}  // namespace
}  // namespace firstcall

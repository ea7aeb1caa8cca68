#include "clients/mcjit/module_list.h"

#include <memory>

#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

class ModuleListTest : public testing::Test {
 protected:
  llvm::LLVMContext context_;
  const std::unique_ptr<llvm::Module> first_ =
      ParseModule("@v = global i32 1  define void @f() { ret void }", context_);
  const std::unique_ptr<llvm::Module> second_ =
      ParseModule("@v = global i32 2  declare void @f()", context_);
};

TEST_F(ModuleListTest, FindsModulesUntilTheyAreRemoved) {
  ModuleList modules('\0');
  modules.Add(*first_);
  modules.Add(*second_);
  ASSERT_NE(modules.Find(first_.get()), nullptr);
  EXPECT_EQ(modules.Find(first_.get())->module, first_.get());
  modules.Remove(*modules.Find(first_.get()));
  EXPECT_EQ(modules.Find(first_.get()), nullptr);
  ASSERT_EQ(modules.entries().size(), 1u);
  EXPECT_EQ(modules.entries().front().module, second_.get());
}

TEST_F(ModuleListTest, ATakenModuleIsKnownButNoLongerAdded) {
  ModuleList modules('\0');
  modules.Add(*first_);
  modules.Add(*second_);
  modules.Find(first_.get())->state = ListedModule::State::kLazy;
  EXPECT_NE(modules.Find(first_.get()), nullptr);
  EXPECT_EQ(modules.FindAdded(*first_), nullptr);
  ASSERT_NE(modules.FirstAdded(), nullptr);
  EXPECT_EQ(modules.FirstAdded()->module, second_.get());
  modules.Find(second_.get())->state = ListedModule::State::kWhole;
  EXPECT_EQ(modules.FirstAdded(), nullptr);
}

TEST_F(ModuleListTest, FindsTheFirstDefinitionThatWasNotTaken) {
  ModuleList modules('\0');
  modules.Add(*first_);
  modules.Add(*second_);
  ASSERT_NE(modules.FindAddedThatDefines("v", /*functions_only=*/false), nullptr);
  EXPECT_EQ(modules.FindAddedThatDefines("v", false)->module, first_.get());
  EXPECT_EQ(modules.FindAddedThatDefines("v", /*functions_only=*/true), nullptr);
  modules.Find(first_.get())->state = ListedModule::State::kLazy;
  ASSERT_NE(modules.FindAddedThatDefines("v", false), nullptr);
  EXPECT_EQ(modules.FindAddedThatDefines("v", false)->module, second_.get());
  // The second module only declares `f`.
  EXPECT_EQ(modules.FindAddedThatDefines("f", true), nullptr);
}

TEST_F(ModuleListTest, NamesOfObjectsHaveThePrefix) {
  ModuleList modules('_');
  modules.Add(*first_);
  EXPECT_NE(modules.FindAddedThatDefines("_f", true), nullptr);
  EXPECT_EQ(modules.FindAddedThatDefines("_g", true), nullptr);
  EXPECT_EQ(modules.FindAddedThatDefines("", true), nullptr);
}

}  // namespace
}  // namespace firstcall

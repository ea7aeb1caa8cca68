#include "base/inline_assembly.h"

#include <memory>

#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

TEST(InlineAssemblyTest, OfFunctions) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(R"(
    define void @with() { call void asm sideeffect "nop", ""() ret void }
    define void @without() { call void @with() ret void }
    define void @alignment() { call void asm sideeffect ".p2align 5", "~{memory}"() ret void }
    define void @barrier() { call void asm sideeffect "", "~{memory}"() ret void })",
                                                           context);
  EXPECT_TRUE(HasInlineAssembly(*module->getFunction("with")));
  EXPECT_FALSE(HasInlineAssembly(*module->getFunction("without")));
  EXPECT_FALSE(HasInlineAssembly(*module->getFunction("barrier")));
  EXPECT_FALSE(HasInlineAssembly(*module->getFunction("alignment")));
  EXPECT_TRUE(HasInlineAssembly(*module));
}

TEST(InlineAssemblyTest, OfModules) {
  llvm::LLVMContext context;
  EXPECT_TRUE(HasInlineAssembly(*ParseModule("module asm \"nop\"", context)));
  EXPECT_FALSE(HasInlineAssembly(*ParseModule("define void @f() { ret void }", context)));
}

}  // namespace
}  // namespace firstcall

#include "splitter/function_facts.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

std::string TextOf(const llvm::AttributeList& attributes) {
  std::string text;
  for (const unsigned index : attributes.indexes()) {
    text += attributes.getAsString(index) + "; ";
  }
  return text;
}

TEST(FunctionFactsTest, AttributesOfAllFormsAreTheSameInAnotherContext) {
  llvm::AttributeList copied;
  std::string expected;
  llvm::LLVMContext other;
  {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = ParseModule(R"(
      declare range(i32 0, 7) i32 @f(ptr nonnull dereferenceable(8) initializes((0, 4), (8, 12)))
        memory(argmem: readwrite) nounwind
    )",
                                                             context);
    const llvm::Function& function = *module->getFunction("f");
    expected = TextOf(function.getAttributes());
    copied =
        WithInferred(llvm::AttributeList(), InferredSince(llvm::AttributeList(), function), other);
  }
  EXPECT_EQ(TextOf(copied), expected);
  EXPECT_NE(expected.find("initializes((0, 4), (8, 12))"), std::string::npos) << expected;
}

TEST(FunctionFactsTest, WhatAFunctionHadBeforeIsNotInferred) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module =
      ParseModule("declare void @f(ptr initializes((0, 4)) nonnull) nounwind", context);
  llvm::Function& function = *module->getFunction("f");
  const llvm::AttributeList before = function.getAttributes();
  EXPECT_TRUE(InferredSince(before, function).empty());
  function.addFnAttr(llvm::Attribute::WillReturn);
  EXPECT_EQ(InferredSince(before, function).size(), 1u);
}

}  // namespace
}  // namespace firstcall

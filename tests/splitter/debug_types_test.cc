#include "splitter/debug_types.h"

#include <memory>
#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

// Both functions have a variable of type `struct list`, which leads to `struct table`. The second
// one returns a `struct result`, which has a list.
constexpr char kProgram[] = R"(
  define void @first(ptr %p) !dbg !4 {
      #dbg_value(ptr %p, !7, !DIExpression(), !8)
    ret void, !dbg !8
  }
  define void @second(ptr %p) !dbg !5 {
      #dbg_value(ptr %p, !9, !DIExpression(), !10)
    ret void, !dbg !10
  }
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2}
  !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
  !1 = !DIFile(filename: "a.c", directory: "/")
  !2 = !{i32 2, !"Debug Info Version", i32 3}
  !4 = distinct !DISubprogram(name: "first", file: !1, line: 1, type: !6, unit: !0,
                              spFlags: DISPFlagDefinition)
  !5 = distinct !DISubprogram(name: "second", file: !1, line: 3, type: !20, unit: !0,
                              spFlags: DISPFlagDefinition)
  !6 = !DISubroutineType(types: !{null})
  !7 = !DILocalVariable(name: "p", scope: !4, type: !11)
  !8 = !DILocation(line: 2, scope: !4)
  !9 = !DILocalVariable(name: "p", scope: !5, type: !11)
  !10 = !DILocation(line: 4, scope: !5)
  !11 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !12, size: 64)
  !12 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "list", size: 64,
                                  elements: !{!13})
  !13 = !DIDerivedType(tag: DW_TAG_member, name: "table", baseType: !14)
  !14 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "table", size: 32)
  !20 = !DISubroutineType(types: !{!21})
  !21 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "result", size: 64,
                                  elements: !{!22})
  !22 = !DIDerivedType(tag: DW_TAG_member, name: "list", baseType: !12)
)";

class DebugTypesTest : public ::testing::Test {
 protected:
  static const llvm::DILocalVariable& VariableOf(llvm::Function& function) {
    auto records = llvm::filterDbgVars(function.front().front().getDbgRecordRange());
    const llvm::DbgVariableRecord& record = *records.begin();
    return *record.getVariable();
  }

  // The structure to which the function's variable points.
  static const llvm::DICompositeType& StructureOf(llvm::Function& function) {
    const auto& pointer = llvm::cast<llvm::DIDerivedType>(*VariableOf(function).getType());
    return llvm::cast<llvm::DICompositeType>(*pointer.getBaseType());
  }

  llvm::LLVMContext context_;
  const std::unique_ptr<llvm::Module> module_ = ParseModule(kProgram, context_);
  llvm::Function& first_ = *module_->getFunction("first");
  llvm::Function& second_ = *module_->getFunction("second");
  DebugTypes types_;
};

TEST_F(DebugTypesTest, WhatCodeHasDefinedIsDeclared) {
  const DebugTypes::Units units = types_.DeclareKnown(first_);
  EXPECT_THAT(units, testing::ElementsAre(first_.getSubprogram()->getUnit()));
  types_.DeclareKnown(second_);
  EXPECT_FALSE(StructureOf(second_).isForwardDecl());  // No code was generated for the first.
  types_.NoteDefined(first_);
  types_.DeclareKnown(second_);
  EXPECT_TRUE(StructureOf(second_).isForwardDecl());
  EXPECT_EQ(StructureOf(second_).getName(), "list");
  EXPECT_FALSE(StructureOf(first_).isForwardDecl());
  EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
}

// A debugger that calls a function does not look for the type of its result.
TEST_F(DebugTypesTest, WhatAFunctionReturnsIsDefined) {
  types_.DeclareKnown(second_);
  types_.NoteDefined(second_);
  types_.DeclareKnown(second_);
  const llvm::DITypeRefArray types = second_.getSubprogram()->getType()->getTypeArray();
  EXPECT_FALSE(llvm::cast<llvm::DICompositeType>(types[0])->isForwardDecl());
}

// Functions are verified only afterwards, because the verifier reads all that they lead to.
TEST_F(DebugTypesTest, NodesMayBeOfAnyKind) {
  types_.DeclareKnown(first_);
  types_.NoteDefined(first_);
  llvm::MDNode* const no_subprogram = llvm::MDTuple::get(context_, {first_.getSubprogram()});
  second_.setMetadata(llvm::LLVMContext::MD_dbg, no_subprogram);
  // A block that is its own scope, inlined at something that is no location.
  auto* const block = llvm::DILexicalBlock::getDistinct(context_, second_.getSubprogram(),
                                                        /*File=*/nullptr, 1, 1);
  block->replaceOperandWith(1, block);
  llvm::Instruction& instruction = second_.front().front();
  llvm::DILocation* const inner =
      llvm::DILocation::getDistinct(context_, 1, 1, llvm::cast<llvm::Metadata>(block));
  instruction.setDebugLoc(
      llvm::DILocation::getDistinct(context_, 1, 1, block, static_cast<llvm::Metadata*>(inner)));
  types_.DeclareKnown(second_);
  EXPECT_TRUE(StructureOf(second_).isForwardDecl());
  EXPECT_TRUE(llvm::verifyFunction(second_));
}

TEST_F(DebugTypesTest, ReturnedTypesMayBeACycle) {
  auto* const alias = llvm::DIDerivedType::getDistinct(
      context_, llvm::dwarf::DW_TAG_typedef, "alias", /*File=*/nullptr, 1, /*Scope=*/nullptr,
      /*BaseType=*/nullptr, uint64_t{0}, 0, uint64_t{0}, std::nullopt, std::nullopt,
      llvm::DINode::FlagZero);
  alias->replaceOperandWith(3, alias);
  llvm::DISubroutineType* const signature = llvm::DISubroutineType::get(
      context_, llvm::DINode::FlagZero, /*CC=*/0, llvm::MDTuple::get(context_, {alias}));
  first_.getSubprogram()->replaceOperandWith(4, signature);
  EXPECT_THAT(types_.DeclareKnown(first_), testing::SizeIs(1));
}

}  // namespace
}  // namespace firstcall

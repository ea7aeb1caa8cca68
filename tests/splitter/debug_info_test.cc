#include "splitter/debug_info.h"

#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Casting.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;

// @f has a variable, a loop with a hint and a location, and inlined code of another file.
constexpr char kProgram[] = R"(
  define i32 @f(ptr %p) !dbg !4 {
  entry:
      #dbg_value(ptr %p, !7, !DIExpression(), !8)
    br label %loop, !dbg !8
  loop:
    %a = load i32, ptr %p, !dbg !12
    %more = icmp slt i32 %a, 7, !dbg !9
    br i1 %more, label %loop, label %end, !dbg !9, !llvm.loop !13
  end:
    ret i32 %a, !dbg !10
  }
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2}
  !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "a compiler",
                               emissionKind: FullDebug, enums: !{!15})
  !1 = !DIFile(filename: "a.c", directory: "/somewhere")
  !2 = !{i32 2, !"Debug Info Version", i32 3}
  !3 = !DIFile(filename: "b.h", directory: "/elsewhere")
  !4 = distinct !DISubprogram(name: "f", file: !1, line: 1, scopeLine: 2, type: !5, unit: !0,
                              spFlags: DISPFlagDefinition, retainedNodes: !{!7})
  !5 = !DISubroutineType(types: !{!6})
  !6 = !DICompositeType(tag: DW_TAG_structure_type, name: "big", file: !1, elements: !{!16})
  !7 = !DILocalVariable(name: "p", scope: !4, type: !6)
  !8 = !DILocation(line: 3, scope: !4)
  !9 = !DILocation(line: 4, column: 5, scope: !17)
  !10 = !DILocation(line: 0, scope: !4)
  !11 = distinct !DISubprogram(name: "g", file: !3, line: 11, type: !5, unit: !0,
                               spFlags: DISPFlagDefinition)
  !12 = !DILocation(line: 12, scope: !11, inlinedAt: !9)
  !13 = distinct !{!13, !8, !14}
  !14 = !{!"llvm.loop.unroll.disable"}
  !15 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "kind", file: !1, elements: !{})
  !16 = !DIDerivedType(tag: DW_TAG_member, name: "m", baseType: !6)
  !17 = distinct !DILexicalBlock(scope: !4, file: !1, line: 4)
)";

class DebugInfoTest : public ::testing::Test {
 protected:
  // "file:line" of the function's instructions; "none" without a location.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const llvm::Instruction& instruction : llvm::instructions(function_)) {
      const llvm::DILocation* const location = instruction.getDebugLoc();
      lines.push_back(location == nullptr
                          ? "none"
                          : absl::StrCat(location->getFilename().str(), ":", location->getLine()));
    }
    return lines;
  }

  llvm::LLVMContext context_;
  const std::unique_ptr<llvm::Module> module_ = ParseModule(kProgram, context_);
  llvm::Function& function_ = *module_->getFunction("f");
};

TEST_F(DebugInfoTest, LinesStay) {
  const std::vector<std::string> before = Lines();
  ASSERT_THAT(before, ElementsAre("a.c:3", "b.h:12", "a.c:4", "a.c:4", "a.c:0"));
  ReduceToLines(function_);
  EXPECT_FALSE(llvm::verifyFunction(function_));
  EXPECT_EQ(Lines(), before);
  EXPECT_EQ(function_.getSubprogram()->getScopeLine(), 2u);
  EXPECT_EQ(function_.getSubprogram()->getFile()->getDirectory(), "/somewhere");
}

TEST_F(DebugInfoTest, NothingLeadsToOtherDebugInformation) {
  const llvm::DICompileUnit* const unit = function_.getSubprogram()->getUnit();
  ReduceToLines(function_);
  const llvm::DISubprogram& reduced = *function_.getSubprogram();
  EXPECT_NE(reduced.getUnit(), unit);
  EXPECT_EQ(reduced.getUnit()->getEmissionKind(), llvm::DICompileUnit::LineTablesOnly);
  EXPECT_TRUE(reduced.getUnit()->getEnumTypes().empty());
  EXPECT_TRUE(reduced.getRetainedNodes().empty());
  EXPECT_EQ(reduced.getType()->getTypeArray().size(), 0u);
  for (const llvm::Instruction& instruction : llvm::instructions(function_)) {
    EXPECT_FALSE(instruction.hasDbgRecords());
    const llvm::DILocation* const location = instruction.getDebugLoc();
    EXPECT_EQ(location->getScope()->getSubprogram(), &reduced);
    EXPECT_EQ(location->getInlinedAt(), nullptr);
  }
  // The loop keeps its hint.
  const llvm::Instruction& branch = *std::next(function_.begin())->getTerminator();
  const llvm::MDNode* const loop = branch.getMetadata(llvm::LLVMContext::MD_loop);
  ASSERT_EQ(loop->getNumOperands(), 2u);
  EXPECT_TRUE(llvm::isa<llvm::MDNode>(loop->getOperand(1)));
  EXPECT_FALSE(llvm::isa<llvm::DILocation>(loop->getOperand(1)));
}

TEST_F(DebugInfoTest, IsReducedOnce) {
  ReduceToLines(function_);
  const llvm::DISubprogram* const reduced = function_.getSubprogram();
  ReduceToLines(function_);
  EXPECT_EQ(function_.getSubprogram(), reduced);
}

TEST_F(DebugInfoTest, DamagedDebugInformationIsLeftOut) {
  llvm::Instruction& last = function_.back().back();
  last.setDebugLoc(llvm::DILocation::get(
      context_, 1, 1,
      llvm::DISubprogram::getDistinct(context_, nullptr, "another", "", nullptr, 1, nullptr, 1,
                                      nullptr, 0, 0, llvm::DINode::FlagZero,
                                      llvm::DISubprogram::SPFlagZero, nullptr)));
  ReduceToLines(function_);
  EXPECT_FALSE(llvm::verifyFunction(function_));
  EXPECT_THAT(Lines(), ElementsAre("a.c:3", "b.h:12", "a.c:4", "a.c:4", "none"));
}

TEST_F(DebugInfoTest, WithoutAUnitNothingStays) {
  function_.getSubprogram()->replaceUnit(nullptr);
  ReduceToLines(function_);
  EXPECT_EQ(function_.getSubprogram(), nullptr);
  EXPECT_THAT(Lines(), ElementsAre("none", "none", "none", "none", "none"));
}

}  // namespace
}  // namespace firstcall

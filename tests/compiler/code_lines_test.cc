#include "compiler/code_lines.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;

// The instructions of @f are on lines 3, 3, 12 of another file, 0, 4.
constexpr char kProgram[] = R"(
  define i32 @f(i32 %n) !dbg !4 {
    %a = add i32 %n, 1, !dbg !6
    %b = add i32 %a, 1, !dbg !7
    %c = add i32 %b, 1, !dbg !9
    %d = add i32 %c, 1, !dbg !10
    ret i32 %d, !dbg !11
  }
  !llvm.dbg.cu = !{!0}
  !llvm.module.flags = !{!2}
  !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
  !1 = !DIFile(filename: "a.c", directory: "/somewhere")
  !2 = !{i32 2, !"Debug Info Version", i32 3}
  !3 = !DIFile(filename: "/elsewhere/b.h", directory: "/somewhere")
  !4 = distinct !DISubprogram(name: "f", file: !1, line: 1, scopeLine: 2, type: !5, unit: !0,
                              spFlags: DISPFlagDefinition)
  !5 = !DISubroutineType(types: !{null})
  !6 = !DILocation(line: 3, column: 1, scope: !4)
  !7 = !DILocation(line: 3, column: 9, scope: !4)
  !8 = distinct !DISubprogram(name: "g", file: !3, line: 11, type: !5, unit: !0,
                              spFlags: DISPFlagDefinition)
  !9 = !DILocation(line: 12, scope: !8, inlinedAt: !7)
  !10 = !DILocation(line: 0, scope: !4)
  !11 = !DILocation(line: 4, scope: !4)
)";

// "offset file:line" of each row of @f's code, whose instructions begin at these offsets.
std::vector<std::string> RowsOf(const std::vector<uint32_t>& offsets) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(kProgram, context);
  const llvm::Function& function = *module->getFunction("f");
  std::vector<DescribedCode::Line> lines;
  for (const llvm::Instruction& instruction : function.getEntryBlock()) {
    if (lines.size() == offsets.size()) break;
    lines.push_back({offsets[lines.size()], instruction.getDebugLoc()});
  }
  const CodeLines found = LinesOf(lines, *function.getSubprogram());
  std::vector<std::string> rows;
  for (const CodeLines::Row& row : found.rows) {
    rows.push_back(absl::StrCat(row.offset, " ", found.files[row.file], ":", row.line));
  }
  return rows;
}

TEST(CodeLinesTest, EachLineBeginsWhereItsCodeDoes) {
  EXPECT_THAT(RowsOf({8, 12, 16, 20, 24}),
              ElementsAre("0 /somewhere/a.c:2", "8 /somewhere/a.c:3", "16 /elsewhere/b.h:12",
                          "20 /somewhere/a.c:0", "24 /somewhere/a.c:4"));
}

TEST(CodeLinesTest, WhatHasNoCodeHasNoLine) {
  EXPECT_THAT(RowsOf({0, 4, 8, 8, 8}), ElementsAre("0 /somewhere/a.c:3", "8 /somewhere/a.c:4"));
  // What is in front of such an instruction goes on.
  EXPECT_THAT(RowsOf({0, 4, 8}), ElementsAre("0 /somewhere/a.c:3", "8 /elsewhere/b.h:12"));
}

TEST(CodeLinesTest, AFunctionWithoutLocationsHasItsOwnLine) {
  EXPECT_THAT(RowsOf({}), ElementsAre("0 /somewhere/a.c:2"));
}

}  // namespace
}  // namespace firstcall

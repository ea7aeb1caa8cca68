#include "baseline/unwind_rows.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/stubs/disassembler.h"

namespace firstcall::baseline {
namespace {

CompiledCode TableOf(const UnwindRows& rows) {
  CompiledCode code;
  code.sections.resize(2);
  code.symbols.resize(1);
  AppendUnwindTable(rows, 0, 1, 0, code);
  return code;
}

TEST(UnwindRowsTest, AreExactInPrologueAndEpilogues) {
  // push rbp; mov rbp, rsp; push rbx; push r12; ...; leave at 48; ret at 49; leave at 60; ret
  // at 61.
  UnwindRows rows;
  rows.size = 64;
  rows.saved_registers = SetOf(kRbx) | SetOf(kR12);
  rows.epilogues = {{49, 50}, {61, 62}};
  const testing::UnwindTable table(TableOf(rows).sections[1].bytes, llvm::Triple::x86_64, 16);
  const auto fdes = table.Fdes();
  ASSERT_EQ(fdes.size(), 1u);
  std::vector<std::pair<uint64_t, std::string>> cfa;
  for (const testing::UnwindRow& row : table.Rows(*fdes[0])) {
    EXPECT_EQ(row.return_address, "[CFA-8]");
    if (cfa.empty() || cfa.back().second != row.cfa) cfa.emplace_back(row.address, row.cfa);
  }
  const std::vector<std::pair<uint64_t, std::string>> expected = {
      {0, "reg7+8"},   {1, "reg7+16"}, {4, "reg6+16"}, {49, "reg7+8"},
      {50, "reg6+16"}, {61, "reg7+8"}, {62, "reg6+16"}};
  EXPECT_EQ(cfa, expected);
}

TEST(UnwindRowsTest, RefersToCodePersonalityAndExceptionTable) {
  UnwindRows rows;
  rows.size = 16;
  rows.has_exceptions = true;
  rows.exception_table = 32;
  rows.personality = 5;
  const CompiledCode code = TableOf(rows);
  ASSERT_EQ(code.relocations.size(), 3u);
  EXPECT_EQ(code.relocations[0].symbol, 5u);
  EXPECT_EQ(code.relocations[1].symbol, 0u);
  EXPECT_EQ(code.relocations[1].addend, 0);
  EXPECT_EQ(code.relocations[2].symbol, 0u);
  EXPECT_EQ(code.relocations[2].addend, 32);
  for (const CodeRelocation& relocation : code.relocations) {
    EXPECT_EQ(relocation.section, 1u);
    EXPECT_EQ(relocation.kind, RelocationKind::kAbsolute64);
  }
}

}  // namespace
}  // namespace firstcall::baseline

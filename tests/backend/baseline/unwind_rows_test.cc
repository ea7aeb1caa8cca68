#include "backend/baseline/unwind_rows.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/stubs/disassembler.h"

namespace firstcall::baseline {
namespace {

using Kind = UnwindRow::Kind;

constexpr UnwindConvention kX86_64 = {7, 16, 8, true}, kAArch64 = {31, 30, 0, false};

CompiledCode TableOf(const UnwindConvention& convention, const UnwindTable& unwind) {
  CompiledCode code;
  code.sections.resize(2);
  code.symbols.resize(1);
  AppendUnwindTable(convention, unwind, 1, 0, code);
  return code;
}

using FrameAddresses = std::vector<std::pair<uint64_t, std::string>>;

// Where each frame address begins to hold.
FrameAddresses FrameAddressesOf(const testing::UnwindTable& table) {
  FrameAddresses result;
  for (const testing::UnwindRow& row : table.Rows(*table.Fdes()[0])) {
    if (result.empty() || result.back().second != row.cfa)
      result.emplace_back(row.address, row.cfa);
  }
  return result;
}

TEST(UnwindRowsTest, AreExactInPrologueAndEpilogues) {
  // push rbp; mov rbp, rsp; push rbx; push r12; ...; leave at 48; ret at 49; leave at 60; ret
  // at 61.
  const std::vector<UnwindRow> rows = {
      {1, Kind::kFrameOffset, 0, 16}, {1, Kind::kSaved, 6, 16},   {4, Kind::kFrameRegister, 6, 0},
      {5, Kind::kSaved, 3, 24},       {7, Kind::kSaved, 12, 32},  {49, Kind::kRemember, 0, 0},
      {49, Kind::kFrame, 7, 8},       {50, Kind::kRestore, 0, 0}, {61, Kind::kRemember, 0, 0},
      {61, Kind::kFrame, 7, 8},       {62, Kind::kRestore, 0, 0}};
  UnwindTable unwind;
  unwind.size = 64;
  unwind.rows = &rows;
  const testing::UnwindTable table(TableOf(kX86_64, unwind).sections[1].bytes, llvm::Triple::x86_64,
                                   16);
  ASSERT_EQ(table.Fdes().size(), 1u);
  for (const testing::UnwindRow& row : table.Rows(*table.Fdes()[0])) {
    EXPECT_EQ(row.return_address, "[CFA-8]");
  }
  EXPECT_EQ(FrameAddressesOf(table), (FrameAddresses{{0, "reg7+8"},
                                                     {1, "reg7+16"},
                                                     {4, "reg6+16"},
                                                     {49, "reg7+8"},
                                                     {50, "reg6+16"},
                                                     {61, "reg7+8"},
                                                     {62, "reg6+16"}}));
}

TEST(UnwindRowsTest, ReturnAddressesMayStayInARegister) {
  // sub sp, sp, #2048; stp x29, x30, [sp, #32]; add x29, sp, #32; str d8, [x29, #16]
  const std::vector<UnwindRow> rows = {{4, Kind::kFrameOffset, 0, 2048},
                                       {8, Kind::kSaved, 29, 2016},
                                       {8, Kind::kSaved, 30, 2008},
                                       {12, Kind::kFrame, 29, 2016},
                                       {16, Kind::kSaved, 72, 2000}};
  UnwindTable unwind;
  unwind.size = 64;
  unwind.rows = &rows;
  const testing::UnwindTable table(TableOf(kAArch64, unwind).sections[1].bytes,
                                   llvm::Triple::aarch64, 30);
  ASSERT_EQ(table.Fdes().size(), 1u);
  EXPECT_EQ(FrameAddressesOf(table),
            (FrameAddresses{{0, "reg31"}, {4, "reg31+2048"}, {12, "reg29+2016"}}));
  const std::vector<testing::UnwindRow> all = table.Rows(*table.Fdes()[0]);
  EXPECT_NE(all[1].return_address, "[CFA-2008]");
  EXPECT_EQ(all[2].return_address, "[CFA-2008]");
}

TEST(UnwindRowsTest, RefersToCodePersonalityAndExceptionTable) {
  const std::vector<UnwindRow> rows;
  UnwindTable unwind;
  unwind.size = 16;
  unwind.rows = &rows;
  unwind.has_exceptions = true;
  unwind.exception_table = 32;
  unwind.personality = 5;
  const CompiledCode code = TableOf(kX86_64, unwind);
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

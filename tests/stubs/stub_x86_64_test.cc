// What the encoder emits, as LLVM's disassembler and LLVM's reader of unwind tables see it.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stubs/stub_architecture.h"
#include "tests/stubs/disassembler.h"
#include "tests/stubs/encoded_block.h"

namespace firstcall {
namespace {

using ::firstcall::testing::At;
using ::firstcall::testing::Disassembler;
using ::firstcall::testing::EncodedBlockTest;
using ::firstcall::testing::Hex;
using ::firstcall::testing::Instruction;
using ::firstcall::testing::NamedPlacement;
using ::firstcall::testing::UnwindRow;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr uint32_t kReturnAddress = 16;

// Displacements have 32 bits and a sign: the data may lie on either side, near or far.
const NamedPlacement kPlacements[] = {
    {"OneStub", {At(0x10000), At(0x20000), 1}},
    {"FullPage", {At(0x7f0000001000), At(0x7f0000002000), 127}},
    {"DataBelowCode", {At(0x7f0040000000), At(0x7f0000000000), 127}},
    {"DataFarAboveCode", {At(0x7f0000000000), At(0x7f007ffe0000), 127}},
    {"DataFarBelowCode", {At(0x7f007ffe0000), At(0x7f0000000000), 127}},
    {"AcrossFourGiB", {At(0x1ffff0000), At(0x200010000), 3}},
    {"MoreStubsThanAByteCounts", {At(0x400000), At(0x500000), 1000}},
};

class StubX8664Test : public EncodedBlockTest {
 protected:
  StubX8664Test()
      : EncodedBlockTest(StubArchitectureX86_64(), Disassembler("x86_64-unknown-linux-gnu"),
                         llvm::Triple::x86_64, kReturnAddress) {}

  // "<LLVM's opcode>[ <immediate or address that is used>]"
  std::string Describe(const Instruction& instruction) const override {
    const llvm::MCInst& inst = instruction.inst;
    std::string text = disassembler_.Name(instruction);
    uint64_t target = 0;
    if (auto memory = disassembler_.analysis().evaluateMemoryOperandAddress(
            inst, &disassembler_.subtarget(), instruction.address, instruction.size)) {
      absl::StrAppend(&text, " ", Hex(*memory));
    } else if (disassembler_.analysis().evaluateBranch(inst, instruction.address, instruction.size,
                                                       target)) {
      absl::StrAppend(&text, " ", Hex(target));
    } else if (inst.getNumOperands() == 1 && inst.getOperand(0).isImm()) {
      absl::StrAppend(&text, " ", inst.getOperand(0).getImm());
    }
    return text;
  }

  std::string DataAddress(uint64_t offset) const { return Hex(placement_.data.value() + offset); }
};

INSTANTIATE_TEST_SUITE_P(Placements, StubX8664Test, ::testing::ValuesIn(kPlacements),
                         [](const auto& info) { return info.param.name; });

TEST_P(StubX8664Test, CodeHasTheSizeOfTheLayout) {
  EXPECT_EQ(code_.size(), layout().CodeSize(placement_.count));
}

TEST_P(StubX8664Test, StubsJumpThroughTheirSlots) {
  for (size_t i = 0; i < placement_.count; ++i) {
    const std::vector<std::string> texts = CodeTexts(layout().StubOffset(i), layout().stub_size);
    ASSERT_GE(texts.size(), 2u);
    EXPECT_EQ(texts[0], "ENDBR64");
    EXPECT_EQ(texts[1], "JMP64m " + DataAddress(StubBlockLayout::SlotOffset(i)));
    EXPECT_THAT(std::vector<std::string>(texts.begin() + 2, texts.end()), Each("INT3"));
  }
}

TEST_P(StubX8664Test, LeadsPushTheirIndexAndGoToTheTail) {
  const std::string tail = Hex(Tail());
  for (size_t i = 0; i < placement_.count; ++i) {
    const std::vector<std::string> texts =
        CodeTexts(layout().LeadOffset(placement_.count, i), layout().stub_size);
    ASSERT_GE(texts.size(), 3u);
    EXPECT_EQ(texts[0], "ENDBR64");
    EXPECT_EQ(texts[1], absl::StrCat("PUSH64i32 ", i));
    EXPECT_EQ(texts[2], "JMP_4 " + tail);
    EXPECT_THAT(std::vector<std::string>(texts.begin() + 3, texts.end()), Each("INT3"));
  }
}

TEST_P(StubX8664Test, TailPushesTheContextAndGoesToTheReentry) {
  EXPECT_THAT(CodeTexts(layout().TailOffset(placement_.count), layout().tail_size),
              ElementsAre("PUSH64rmm " + DataAddress(StubBlockLayout::kContextOffset),
                          "JMP64m " + DataAddress(StubBlockLayout::kReentryOffset)));
}

TEST_P(StubX8664Test, CountersCountDownAndGoOnOrToTheTailWithTheirIndex) {
  EXPECT_EQ(counters_.size(), counter_layout().CodeSize(placement_.count));
  for (size_t i = 0; i < placement_.count; ++i) {
    const uint64_t begin = counter_layout().CounterOffset(i);
    const uint64_t cell = CallCounterLayout::CellOffset(i);
    const std::vector<std::string> texts = CounterTexts(begin, counter_layout().counter_size);
    ASSERT_GE(texts.size(), 6u);
    EXPECT_THAT(
        std::vector<std::string>(texts.begin(), texts.begin() + 6),
        ElementsAre("ENDBR64", "SUB32mi8 " + DataAddress(cell + CallCounterLayout::kLeftOffset),
                    "JCC_1 " + Hex(Stubs() + begin + 19), "JMP64m " + DataAddress(cell),
                    absl::StrCat("PUSH64i32 ", i), "JMP_4 " + Hex(CountersTail())));
    EXPECT_THAT(std::vector<std::string>(texts.begin() + 6, texts.end()), Each("INT3"));
    // Where the branch leads, and on what condition; how much is subtracted.
    const Instruction push = disassembler_.At(counters_, Stubs(), begin + 19);
    EXPECT_EQ(Describe(push), texts[4]);
    const Instruction branch = disassembler_.At(counters_, Stubs(), begin + 11);
    EXPECT_THAT(disassembler_.Text(branch), StartsWith("jb "));
    const Instruction subtract = disassembler_.At(counters_, Stubs(), begin + 4);
    EXPECT_THAT(disassembler_.Text(subtract), StartsWith("subl $0x1, "));
  }
}

TEST_P(StubX8664Test, TailOfCountersIsThatOfStubs) {
  EXPECT_THAT(
      CounterTexts(counter_layout().TailOffset(placement_.count), counter_layout().tail_size),
      ElementsAre("PUSH64rmm " + DataAddress(StubBlockLayout::kContextOffset),
                  "JMP64m " + DataAddress(StubBlockLayout::kReentryOffset)));
}

TEST_P(StubX8664Test, CallersFrameIsKnownAtEveryInstructionOfCounters) {
  const std::vector<const llvm::dwarf::FDE*> fdes = counter_table_.Fdes();
  ASSERT_EQ(fdes.size(), 1u);
  EXPECT_EQ(fdes[0]->getInitialLocation(), Stubs());
  EXPECT_EQ(fdes[0]->getAddressRange(), counters_.size());
  // The expression: rsp + 8 + ((rip & 31) >= 24) * 8.
  const uint64_t pushed =
      CountersTail() + disassembler_.At(counters_, Stubs(), CountersTail() - Stubs()).size;
  EXPECT_THAT(counter_table_.Rows(*fdes[0]),
              ElementsAre(UnwindRow{Stubs(),
                                    "DW_OP_breg7 +8, DW_OP_breg16 +0, DW_OP_lit31, DW_OP_and, "
                                    "DW_OP_lit24, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus",
                                    "[CFA-8]"},
                          UnwindRow{CountersTail(), "reg7+16", "[CFA-8]"},
                          UnwindRow{pushed, "reg7+24", "[CFA-8]"}));
}

TEST(StubX8664ForwarderTest, PassesItsArgumentsOnWithAThird) {
  const Disassembler disassembler("x86_64-unknown-linux-gnu");
  const std::vector<uint8_t> code =
      StubArchitectureX86_64().encode_forwarder(At(0x123456789abc), At(0xfedcba987654));
  std::vector<std::string> texts;
  for (const Instruction& instruction : disassembler.Range(code, 0x1000, 0, code.size())) {
    texts.push_back(disassembler.Text(instruction));
  }
  EXPECT_THAT(texts, ElementsAre("endbr64", "movabsq $0xfedcba987654, %rdx",
                                 "movabsq $0x123456789abc, %rax", "jmpq *%rax"));
}

// The unwind table of counters asks for the lowest bits of the address, and for 24.
TEST_P(StubX8664Test, IndexIsPushed24BytesIntoEachCounter) {
  for (size_t i = 0; i < placement_.count; ++i) {
    const Instruction push =
        disassembler_.At(counters_, Stubs(), counter_layout().CounterOffset(i) + 19);
    EXPECT_EQ(disassembler_.Name(push), "PUSH64i32");
    EXPECT_EQ((push.address + push.size) % 32, 24u);
  }
}

TEST_P(StubX8664Test, UnwindTableCoversAllCode) {
  const std::vector<const llvm::dwarf::FDE*> fdes = table_.Fdes();
  ASSERT_EQ(fdes.size(), 2u);
  EXPECT_EQ(fdes[0]->getInitialLocation(), Stubs());
  EXPECT_EQ(fdes[0]->getInitialLocation() + fdes[0]->getAddressRange(), Leads());
  EXPECT_EQ(fdes[1]->getInitialLocation(), Leads());
  EXPECT_EQ(fdes[1]->getInitialLocation() + fdes[1]->getAddressRange(), End());
}

TEST_P(StubX8664Test, UnwindTableEndsWithATerminator) {
  ASSERT_GE(table_bytes_.size(), 4u);
  EXPECT_THAT(std::vector<uint8_t>(table_bytes_.end() - 4, table_bytes_.end()), Each(0));
}

TEST_P(StubX8664Test, CallersFrameIsKnownAtEveryInstruction) {
  const std::vector<const llvm::dwarf::FDE*> fdes = table_.Fdes();
  ASSERT_EQ(fdes.size(), 2u);
  EXPECT_THAT(table_.Rows(*fdes[0]), ElementsAre(UnwindRow{Stubs(), "reg7+8", "[CFA-8]"}));
  // The expression: rsp + 8 + ((rip & 15) >= 9) * 8.
  const uint64_t pushed = Tail() + disassembler_.At(code_, Stubs(), Tail() - Stubs()).size;
  EXPECT_THAT(table_.Rows(*fdes[1]),
              ElementsAre(UnwindRow{Leads(),
                                    "DW_OP_breg7 +8, DW_OP_breg16 +0, DW_OP_lit15, DW_OP_and, "
                                    "DW_OP_lit9, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus",
                                    "[CFA-8]"},
                          UnwindRow{Tail(), "reg7+16", "[CFA-8]"},
                          UnwindRow{pushed, "reg7+24", "[CFA-8]"}));
}

// The expression above asks for the lowest bits of the address, and for 9.
TEST_P(StubX8664Test, IndexIsPushedNineBytesIntoEachLead) {
  for (size_t i = 0; i < placement_.count; ++i) {
    const uint64_t lead = layout().LeadOffset(placement_.count, i);
    const Instruction mark = disassembler_.At(code_, Stubs(), lead);
    const Instruction push = disassembler_.At(code_, Stubs(), lead + mark.size);
    EXPECT_EQ((push.address + push.size) % 16, 9u);
  }
}

}  // namespace
}  // namespace firstcall

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

constexpr uint32_t kX30 = 30;

// ADRP counts pages, 2^20 of them to either side.
const NamedPlacement kPlacements[] = {
    {"OneStub", {At(0x10000), At(0x20000), 1}},
    {"FullPage", {At(0x7f0000001000), At(0x7f0000002000), 127}},
    {"DataInThePageOfTheCode", {At(0x7f0000001000), At(0x7f0000001800), 3}},
    {"DataAcrossAPage", {At(0x7f0000001040), At(0x7f0000002ff8), 127}},
    {"DataBelowCode", {At(0x7f0040000000), At(0x7f0000000000), 127}},
    {"DataFarAboveCode", {At(0x7f0000000000), At(0x7f00ffff0000), 127}},
    {"DataFarBelowCode", {At(0x7f00ffff0000), At(0x7f0000000000), 127}},
    {"MoreStubsThanAByteCounts", {At(0x400000), At(0x500000), 1000}},
};

class StubAArch64Test : public EncodedBlockTest {
 protected:
  StubAArch64Test()
      : EncodedBlockTest(StubArchitectureAArch64(),
                         Disassembler("aarch64-unknown-linux-gnu", "+bti"), llvm::Triple::aarch64,
                         kX30) {}

  // The two instructions that load the word at `address` to x16.
  static std::string PageOfAddress(ExecutorAddress address) {
    return "adrp x16, " + Hex(address.value() & ~uint64_t{0xfff});
  }
  static std::string LoadOfAddress(ExecutorAddress address) {
    return "ldr x16, " + InThePage(address);
  }

  // The operand of an instruction, where x16 has the address's page.
  static std::string InThePage(ExecutorAddress address) {
    const uint64_t low = address.value() & 0xfff;
    return low == 0 ? "[x16]" : absl::StrCat("[x16, #", Hex(low), "]");
  }

  // For the word at `offset` of the stubs' data.
  std::string PageOf(uint64_t offset) const { return PageOfAddress(placement_.data + offset); }
  std::string LoadOf(uint64_t offset) const { return LoadOfAddress(placement_.data + offset); }
};

INSTANTIATE_TEST_SUITE_P(Placements, StubAArch64Test, ::testing::ValuesIn(kPlacements),
                         [](const auto& info) { return info.param.name; });

TEST_P(StubAArch64Test, CodeHasTheSizeOfTheLayout) {
  EXPECT_EQ(code_.size(), layout().CodeSize(placement_.count));
}

TEST_P(StubAArch64Test, BlockOf127FitsIntoAPage) { EXPECT_LE(layout().CodeSize(127), 4096u); }

TEST_P(StubAArch64Test, BlockOf101CountersFitsIntoAPage) {
  EXPECT_LE(counter_layout().CodeSize(101), 4096u);
}

TEST_P(StubAArch64Test, StubsJumpThroughTheirSlots) {
  for (size_t i = 0; i < placement_.count; ++i) {
    const size_t slot = StubBlockLayout::SlotOffset(i);
    ASSERT_THAT(CodeTexts(layout().StubOffset(i), layout().stub_size),
                ElementsAre("bti c", PageOf(slot), LoadOf(slot), "br x16"))
        << "stub " << i;
  }
}

TEST_P(StubAArch64Test, LeadsNoteTheirIndexAndGoToTheTail) {
  for (size_t i = 0; i < placement_.count; ++i) {
    const std::string index = i == 0 ? "0x0" : Hex(i);
    ASSERT_THAT(
        CodeTexts(layout().LeadOffset(placement_.count, i), layout().stub_size),
        ElementsAre("bti c", absl::StrCat("mov x17, #", index), "b " + Hex(Tail()), "brk #0"))
        << "lead " << i;
  }
}

TEST_P(StubAArch64Test, TailPushesContextAndIndexAndGoesToTheReentry) {
  EXPECT_THAT(
      CodeTexts(layout().TailOffset(placement_.count), layout().tail_size),
      ElementsAre(PageOf(StubBlockLayout::kContextOffset), LoadOf(StubBlockLayout::kContextOffset),
                  "stp x16, x17, [sp, #-0x10]!", PageOf(StubBlockLayout::kReentryOffset),
                  LoadOf(StubBlockLayout::kReentryOffset), "br x16"));
}

TEST_P(StubAArch64Test, CountersCountDownAndGoOnOrToTheTailWithTheirIndex) {
  EXPECT_EQ(counters_.size(), counter_layout().CodeSize(placement_.count));
  for (size_t i = 0; i < placement_.count; ++i) {
    const uint64_t begin = counter_layout().CounterOffset(i);
    const ExecutorAddress cell = counter_placement_.data + CallCounterLayout::CellOffset(i);
    const std::string left = InThePage(cell + CallCounterLayout::kLeftOffset);
    const std::string index = i == 0 ? "0x0" : Hex(i);
    const uint64_t lead = Stubs() + begin + 32;  // Behind eight instructions.
    ASSERT_THAT(CounterTexts(begin, counter_layout().counter_size),
                ElementsAre("bti c", PageOfAddress(cell), "ldr w17, " + left, "subs w17, w17, #0x1",
                            "str w17, " + left, "b.lo " + Hex(lead), LoadOfAddress(cell), "br x16",
                            "mov x17, #" + index, "b " + Hex(CountersTail())))
        << "counter " << i;
  }
}

TEST_P(StubAArch64Test, TailOfCountersIsThatOfStubs) {
  const ExecutorAddress context = counter_placement_.data + StubBlockLayout::kContextOffset;
  const ExecutorAddress reentry = counter_placement_.data + StubBlockLayout::kReentryOffset;
  EXPECT_THAT(
      CounterTexts(counter_layout().TailOffset(placement_.count), counter_layout().tail_size),
      ElementsAre(PageOfAddress(context), LoadOfAddress(context), "stp x16, x17, [sp, #-0x10]!",
                  PageOfAddress(reentry), LoadOfAddress(reentry), "br x16"));
}

TEST_P(StubAArch64Test, CallersFrameIsKnownAtEveryInstructionOfCounters) {
  const std::vector<const llvm::dwarf::FDE*> fdes = counter_table_.Fdes();
  ASSERT_EQ(fdes.size(), 1u);
  EXPECT_EQ(fdes[0]->getInitialLocation(), Stubs());
  EXPECT_EQ(fdes[0]->getAddressRange(), counters_.size());
  // Behind the tail's third instruction, as below.
  EXPECT_THAT(counter_table_.Rows(*fdes[0]),
              ElementsAre(UnwindRow{Stubs(), "reg31", "unchanged"},
                          UnwindRow{CountersTail() + 12, "reg31+16", "unchanged"}));
}

TEST(StubAArch64ForwarderTest, PassesItsArgumentsOnWithAThird) {
  const Disassembler disassembler("aarch64-unknown-linux-gnu", "+bti");
  const std::vector<uint8_t> code =
      StubArchitectureAArch64().encode_forwarder(At(0x123456789abc), At(0xfedcba987654));
  std::vector<std::string> texts;
  for (const Instruction& instruction : disassembler.Range(code, 0x1000, 0, 16)) {
    texts.push_back(disassembler.Text(instruction));
  }
  EXPECT_THAT(texts, ElementsAre("bti c", "ldr x2, 0x1010", "ldr x16, 0x1018", "br x16"));
  const std::vector<uint8_t> third(code.begin() + 0x10, code.begin() + 0x18);
  const std::vector<uint8_t> function(code.begin() + 0x18, code.end());
  EXPECT_THAT(third, ElementsAre(0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0, 0));
  EXPECT_THAT(function, ElementsAre(0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, 0, 0));
}

TEST_P(StubAArch64Test, UnwindTableCoversAllCode) {
  const std::vector<const llvm::dwarf::FDE*> fdes = table_.Fdes();
  ASSERT_EQ(fdes.size(), 1u);
  EXPECT_EQ(fdes[0]->getInitialLocation(), Stubs());
  EXPECT_EQ(fdes[0]->getAddressRange(), layout().CodeSize(placement_.count));
}

TEST_P(StubAArch64Test, UnwindTableEndsWithATerminator) {
  ASSERT_GE(table_bytes_.size(), 4u);
  EXPECT_THAT(std::vector<uint8_t>(table_bytes_.end() - 4, table_bytes_.end()), Each(0));
}

TEST_P(StubAArch64Test, CallersFrameIsKnownAtEveryInstruction) {
  const std::vector<const llvm::dwarf::FDE*> fdes = table_.Fdes();
  ASSERT_EQ(fdes.size(), 1u);
  // Behind the tail's third instruction, which TailPushesContextAndIndex... shows to be the push.
  EXPECT_THAT(table_.Rows(*fdes[0]), ElementsAre(UnwindRow{Stubs(), "reg31", "unchanged"},
                                                 UnwindRow{Tail() + 12, "reg31+16", "unchanged"}));
}

}  // namespace
}  // namespace firstcall

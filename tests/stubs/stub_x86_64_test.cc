// What the encoder emits, as LLVM's disassembler and LLVM's reader of unwind tables see it.

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/DebugInfo/DWARF/DWARFDataExtractor.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include "stubs/stub_architecture.h"

extern "C" {
// From llvm/Config/*.def, which name only the targets LLVM was built with.
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86Disassembler();
}

namespace firstcall {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

struct Instruction {
  uint64_t address = 0;
  uint64_t size = 0;
  std::string text;  // "<LLVM's opcode>[ <immediate or address that is used>]"
};

// LLVM's disassembler of x86-64.
class Disassembler {
 public:
  Disassembler() {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    std::string error;
    const llvm::Triple triple("x86_64-unknown-linux-gnu");
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple.str(), error);
    registers_.reset(target->createMCRegInfo(triple.str()));
    assembly_.reset(target->createMCAsmInfo(*registers_, triple.str(), llvm::MCTargetOptions()));
    subtarget_.reset(target->createMCSubtargetInfo(triple.str(), "generic", ""));
    instructions_.reset(target->createMCInstrInfo());
    analysis_.reset(target->createMCInstrAnalysis(instructions_.get()));
    context_ = std::make_unique<llvm::MCContext>(triple, assembly_.get(), registers_.get(),
                                                 subtarget_.get());
    disassembler_.reset(target->createMCDisassembler(*subtarget_, *context_));
  }

  // The instruction of `code`, which lies at `base`, at `offset`.
  Instruction At(llvm::ArrayRef<uint8_t> code, uint64_t base, uint64_t offset) const {
    Instruction result;
    result.address = base + offset;
    llvm::MCInst inst;
    llvm::raw_null_ostream comments;
    if (disassembler_->getInstruction(inst, result.size, code.slice(offset), result.address,
                                      comments) != llvm::MCDisassembler::Success) {
      ADD_FAILURE() << "no instruction at offset " << offset;
      result.size = 1;
      return result;
    }
    result.text = instructions_->getName(inst.getOpcode()).str();
    uint64_t target = 0;
    if (auto memory = analysis_->evaluateMemoryOperandAddress(inst, subtarget_.get(),
                                                              result.address, result.size)) {
      absl::StrAppend(&result.text, " ", Hex(*memory));
    } else if (analysis_->evaluateBranch(inst, result.address, result.size, target)) {
      absl::StrAppend(&result.text, " ", Hex(target));
    } else if (inst.getNumOperands() == 1 && inst.getOperand(0).isImm()) {
      absl::StrAppend(&result.text, " ", inst.getOperand(0).getImm());
    }
    return result;
  }

  // The texts of the instructions from `begin` to `end`.
  std::vector<std::string> Texts(llvm::ArrayRef<uint8_t> code, uint64_t base, uint64_t begin,
                                 uint64_t end) const {
    std::vector<std::string> texts;
    while (begin < end) {
      Instruction instruction = At(code, base, begin);
      begin += instruction.size;
      texts.push_back(std::move(instruction.text));
    }
    EXPECT_EQ(begin, end) << "the last instruction does not end where it should";
    return texts;
  }

  static std::string Hex(uint64_t value) { return absl::StrFormat("%#x", value); }

 private:
  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> assembly_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
};

struct NamedPlacement {
  const char* name;
  StubBlockPlacement placement;

  friend void PrintTo(const NamedPlacement& placement, std::ostream* out) {
    *out << placement.name;
  }
};

constexpr ExecutorAddress At(uint64_t address) { return ExecutorAddress(address); }

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

class StubX8664Test : public testing::TestWithParam<NamedPlacement> {
 protected:
  static const StubArchitecture& architecture() { return StubArchitectureX86_64(); }
  static const StubBlockLayout& layout() { return architecture().layout; }

  std::vector<std::string> CodeTexts(uint64_t begin, uint64_t size) const {
    return disassembler_.Texts(code_, placement_.code.value(), begin, begin + size);
  }
  std::string DataAddress(uint64_t offset) const {
    return Disassembler::Hex(placement_.data.value() + offset);
  }
  // Addresses of the block's code as the unwind table should have them.
  uint64_t Stubs() const { return placement_.code.value(); }
  uint64_t Leads() const { return Stubs() + layout().LeadOffset(placement_.count, 0); }
  uint64_t Tail() const { return Stubs() + layout().TailOffset(placement_.count); }
  uint64_t End() const { return Stubs() + layout().CodeSize(placement_.count); }

  const StubBlockPlacement& placement_ = GetParam().placement;
  const std::vector<uint8_t> code_ = architecture().encode_block(placement_);
  const Disassembler disassembler_;
};

INSTANTIATE_TEST_SUITE_P(Placements, StubX8664Test, testing::ValuesIn(kPlacements),
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
  const std::string tail = Disassembler::Hex(Tail());
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

// A rule for the CFA, from `address` on.
struct CfaRow {
  uint64_t address;
  std::string rule;
  friend bool operator==(const CfaRow& a, const CfaRow& b) {
    return a.address == b.address && a.rule == b.rule;
  }
  friend std::ostream& operator<<(std::ostream& out, const CfaRow& row) {
    return out << Disassembler::Hex(row.address) << ": " << row.rule;
  }
};

std::string Print(const llvm::dwarf::UnwindLocation& location) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << location;
  return text;
}

// What LLVM makes of a table that is mapped at address 0.
class UnwindTable {
 public:
  explicit UnwindTable(const std::vector<uint8_t>& bytes)
      : bytes_(bytes), frame_(llvm::Triple::x86_64, /*IsEH=*/true, /*EHFrameAddress=*/0) {
    llvm::Error error = frame_.parse(llvm::DWARFDataExtractor(
        llvm::StringRef(reinterpret_cast<const char*>(bytes_.data()), bytes_.size()),
        /*IsLittleEndian=*/true, /*AddressSize=*/8));
    EXPECT_EQ(llvm::toString(std::move(error)), "");
  }

  std::vector<const llvm::dwarf::FDE*> Fdes() const {
    std::vector<const llvm::dwarf::FDE*> fdes;
    for (const llvm::dwarf::FrameEntry& entry : frame_) {
      if (const auto* fde = llvm::dyn_cast<llvm::dwarf::FDE>(&entry)) fdes.push_back(fde);
    }
    return fdes;
  }

  static std::vector<CfaRow> Rows(const llvm::dwarf::FDE& fde) {
    auto table = llvm::dwarf::UnwindTable::create(&fde);
    if (!table) {
      ADD_FAILURE() << llvm::toString(table.takeError());
      return {};
    }
    std::vector<CfaRow> rows;
    for (const llvm::dwarf::UnwindRow& row : *table) {
      rows.push_back({row.getAddress(), Print(row.getCFAValue())});
      // Register 16 is the return address.
      EXPECT_EQ(Print(*row.getRegisterLocations().getRegisterLocation(16)), "[CFA-8]");
    }
    return rows;
  }

 private:
  const std::vector<uint8_t> bytes_;
  llvm::DWARFDebugFrame frame_;
};

TEST_P(StubX8664Test, UnwindTableCoversAllCode) {
  const UnwindTable table(architecture().encode_unwind_table(placement_));
  const std::vector<const llvm::dwarf::FDE*> fdes = table.Fdes();
  ASSERT_EQ(fdes.size(), 2u);
  EXPECT_EQ(fdes[0]->getInitialLocation(), Stubs());
  EXPECT_EQ(fdes[0]->getInitialLocation() + fdes[0]->getAddressRange(), Leads());
  EXPECT_EQ(fdes[1]->getInitialLocation(), Leads());
  EXPECT_EQ(fdes[1]->getInitialLocation() + fdes[1]->getAddressRange(), End());
}

TEST_P(StubX8664Test, UnwindTableEndsWithATerminator) {
  const std::vector<uint8_t> table = architecture().encode_unwind_table(placement_);
  ASSERT_GE(table.size(), 4u);
  EXPECT_THAT(std::vector<uint8_t>(table.end() - 4, table.end()), Each(0));
}

TEST_P(StubX8664Test, CallersFrameIsKnownAtEveryInstruction) {
  const UnwindTable table(architecture().encode_unwind_table(placement_));
  const std::vector<const llvm::dwarf::FDE*> fdes = table.Fdes();
  ASSERT_EQ(fdes.size(), 2u);
  EXPECT_THAT(UnwindTable::Rows(*fdes[0]), ElementsAre(CfaRow{Stubs(), "reg7+8"}));
  // The expression: rsp + 8 + ((rip & 15) >= 9) * 8.
  const uint64_t pushed = Tail() + disassembler_.At(code_, Stubs(), Tail() - Stubs()).size;
  EXPECT_THAT(UnwindTable::Rows(*fdes[1]),
              ElementsAre(CfaRow{Leads(),
                                 "DW_OP_breg7 +8, DW_OP_breg16 +0, DW_OP_lit15, DW_OP_and, "
                                 "DW_OP_lit9, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus"},
                          CfaRow{Tail(), "reg7+16"}, CfaRow{pushed, "reg7+24"}));
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

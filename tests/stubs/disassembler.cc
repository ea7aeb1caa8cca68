#include "tests/stubs/disassembler.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "llvm/DebugInfo/DWARF/DWARFDataExtractor.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "third_party/llvm/version/unwind_table.h"

namespace firstcall::testing {
namespace {

std::string Print(const llvm::dwarf::UnwindLocation& location) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << location;
  return text;
}

}  // namespace

std::string Hex(uint64_t value) { return absl::StrFormat("%#x", value); }

Disassembler::Disassembler(const char* triple_name, const char* features) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllDisassemblers();
  std::string error;
  const llvm::Triple triple(triple_name);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple.str(), error);
  registers_.reset(target->createMCRegInfo(triple.str()));
  assembly_.reset(target->createMCAsmInfo(*registers_, triple.str(), llvm::MCTargetOptions()));
  subtarget_.reset(target->createMCSubtargetInfo(triple.str(), "generic", features));
  instructions_.reset(target->createMCInstrInfo());
  analysis_.reset(target->createMCInstrAnalysis(instructions_.get()));
  context_ = std::make_unique<llvm::MCContext>(triple, assembly_.get(), registers_.get(),
                                               subtarget_.get());
  disassembler_.reset(target->createMCDisassembler(*subtarget_, *context_));
  printer_.reset(target->createMCInstPrinter(triple, assembly_->getAssemblerDialect(), *assembly_,
                                             *instructions_, *registers_));
  printer_->setPrintImmHex(true);
  printer_->setPrintBranchImmAsAddress(true);
}

Instruction Disassembler::At(llvm::ArrayRef<uint8_t> code, uint64_t base, uint64_t offset) const {
  Instruction result;
  result.address = base + offset;
  llvm::raw_null_ostream comments;
  if (disassembler_->getInstruction(result.inst, result.size, code.slice(offset), result.address,
                                    comments) != llvm::MCDisassembler::Success) {
    ADD_FAILURE() << "no instruction at offset " << offset;
    result.size = std::max<uint64_t>(result.size, 1);
  }
  return result;
}

std::vector<Instruction> Disassembler::Range(llvm::ArrayRef<uint8_t> code, uint64_t base,
                                             uint64_t begin, uint64_t end) const {
  std::vector<Instruction> instructions;
  while (begin < end) {
    instructions.push_back(At(code, base, begin));
    begin += instructions.back().size;
  }
  EXPECT_EQ(begin, end) << "the last instruction does not end where it should";
  return instructions;
}

std::string Disassembler::Text(const Instruction& instruction) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printer_->printInst(&instruction.inst, instruction.address, "", *subtarget_, stream);
  return absl::StrJoin(absl::StrSplit(stream.str(), absl::ByAnyChar("\t "), absl::SkipEmpty()),
                       " ");
}

std::string Disassembler::Name(const Instruction& instruction) const {
  return instructions_->getName(instruction.inst.getOpcode()).str();
}

UnwindTable::UnwindTable(const std::vector<uint8_t>& bytes, llvm::Triple::ArchType architecture,
                         uint32_t return_address)
    : bytes_(bytes),
      return_address_(return_address),
      frame_(architecture, /*IsEH=*/true, /*EHFrameAddress=*/0) {
  llvm::Error error = frame_.parse(llvm::DWARFDataExtractor(
      llvm::StringRef(reinterpret_cast<const char*>(bytes_.data()), bytes_.size()),
      /*IsLittleEndian=*/true, /*AddressSize=*/8));
  EXPECT_EQ(llvm::toString(std::move(error)), "");
}

std::vector<const llvm::dwarf::FDE*> UnwindTable::Fdes() const {
  std::vector<const llvm::dwarf::FDE*> fdes;
  for (const llvm::dwarf::FrameEntry& entry : frame_) {
    if (const auto* fde = llvm::dyn_cast<llvm::dwarf::FDE>(&entry)) fdes.push_back(fde);
  }
  return fdes;
}

std::vector<UnwindRow> UnwindTable::Rows(const llvm::dwarf::FDE& fde) const {
  auto table = llvm_version::UnwindTableOf(fde);
  if (!table) {
    ADD_FAILURE() << llvm::toString(table.takeError());
    return {};
  }
  std::vector<UnwindRow> rows;
  for (const llvm::dwarf::UnwindRow& row : *table) {
    const auto location = row.getRegisterLocations().getRegisterLocation(return_address_);
    rows.push_back({row.getAddress(), Print(row.getCFAValue()),
                    location ? Print(*location) : std::string("unchanged")});
  }
  return rows;
}

}  // namespace firstcall::testing

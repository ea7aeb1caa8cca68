// LLVM's view of what the encoders emit: instructions, and unwind tables.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_STUBS_DISASSEMBLER_H_
#define FIRSTCALL_TESTS_STUBS_DISASSEMBLER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Triple.h"

namespace firstcall::testing {

std::string Hex(uint64_t value);

// An instruction at `address`.
struct Instruction {
  uint64_t address = 0;
  uint64_t size = 0;
  llvm::MCInst inst;
};

// Every target of LLVM's is known on every host.
class Disassembler {
 public:
  // `features` as llc's -mattr has them.
  explicit Disassembler(const char* triple, const char* features = "");

  // The instruction of `code`, which lies at `base`, at `offset`. A failure of the test if there is
  // none.
  Instruction At(llvm::ArrayRef<uint8_t> code, uint64_t base, uint64_t offset) const;

  // Those from `begin` to `end`, where the last one has to end.
  std::vector<Instruction> Range(llvm::ArrayRef<uint8_t> code, uint64_t base, uint64_t begin,
                                 uint64_t end) const;

  // As an assembler would take it, separated by single spaces; addresses are printed in full.
  std::string Text(const Instruction& instruction) const;

  // LLVM's name of the operation.
  std::string Name(const Instruction& instruction) const;

  const llvm::MCInstrAnalysis& analysis() const { return *analysis_; }
  const llvm::MCSubtargetInfo& subtarget() const { return *subtarget_; }

 private:
  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> assembly_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

// From `address` on: the rule for the CFA, and for the return address.
struct UnwindRow {
  uint64_t address;
  std::string cfa;
  std::string return_address;

  friend bool operator==(const UnwindRow& a, const UnwindRow& b) {
    return a.address == b.address && a.cfa == b.cfa && a.return_address == b.return_address;
  }
  friend std::ostream& operator<<(std::ostream& out, const UnwindRow& row) {
    return out << Hex(row.address) << ": " << row.cfa << ", " << row.return_address;
  }
};

// What LLVM makes of a table that is mapped at address 0.
class UnwindTable {
 public:
  // `return_address` is the DWARF number of the register or the column it is kept in.
  UnwindTable(const std::vector<uint8_t>& bytes, llvm::Triple::ArchType architecture,
              uint32_t return_address);

  std::vector<const llvm::dwarf::FDE*> Fdes() const;

  std::vector<UnwindRow> Rows(const llvm::dwarf::FDE& fde) const;

 private:
  const std::vector<uint8_t> bytes_;
  const uint32_t return_address_;
  llvm::DWARFDebugFrame frame_;
};

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_STUBS_DISASSEMBLER_H_

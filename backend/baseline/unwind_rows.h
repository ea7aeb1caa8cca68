// Writes the unwind table (.eh_frame: DWARF 4, section 6.4, as the Linux Standard Base changes it)
// of a function: rows that are exact at each instruction of its prologue and its epilogues, and a
// reference to its exception table.
//
// Thread-safe: pure functions of their arguments.

#ifndef FIRSTCALL_BACKEND_BASELINE_UNWIND_ROWS_H_
#define FIRSTCALL_BACKEND_BASELINE_UNWIND_ROWS_H_

#include <cstdint>
#include <vector>

#include "object/compiled_code.h"

namespace firstcall::baseline {

// A change of the unwind rules from `offset` on. Registers have DWARF's numbers. The frame address
// is DWARF's CFA.
struct UnwindRow {
  enum class Kind : uint8_t {
    kFrame,          // The frame address is register + value.
    kFrameOffset,    // The frame address is value bytes above its present register.
    kFrameRegister,  // The frame address is as far above `reg` as above the old register.
    kSaved,          // The caller's register is value bytes below the frame address.
    kRestored,       // The register is the caller's again, as when the function began.
    kRemember,       // Saves the rules. The matching kRestore restores them.
    kRestore,
    kSignsReturnAddress,  // On AArch64: toggles whether the return address is signed.
  };
  uint32_t offset = 0;
  Kind kind = Kind::kFrame;
  uint8_t reg = 0;
  uint32_t value = 0;
};

// How frames begin on an architecture.
struct UnwindConvention {
  uint8_t stack_pointer;         // DWARF's number.
  uint8_t return_address;        // DWARF's number of the register or column of the return address.
  uint8_t entry_distance;        // Distance of the frame address from the stack pointer on entry.
  bool is_return_address_saved;  // On entry, the return address is on the stack, just below the
                                 // frame address.
};

// The unwind table of a function at the beginning of its section. Offsets are relative to the
// function's beginning.
struct UnwindTable {
  uint32_t size = 0;
  const std::vector<UnwindRow>* rows = nullptr;  // Sorted by offset.
  bool has_exceptions = false;
  uint32_t exception_table = 0;
  uint32_t personality = 0;  // A symbol number.
};

// Appends the entries to section number `unwind_section` of `code`, and their relocations.
void AppendUnwindTable(const UnwindConvention& convention, const UnwindTable& unwind,
                       uint32_t unwind_section, uint32_t code_symbol, CompiledCode& code);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_UNWIND_ROWS_H_

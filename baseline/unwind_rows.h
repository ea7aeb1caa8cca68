// Writes the unwind table (.eh_frame: DWARF 4, section 6.4, as the Linux Standard Base changes it)
// of a function: rows that are exact at each instruction of its prologue and its epilogues, and the
// way to its exception table.
//
// Thread-safe: pure functions of their arguments.

#ifndef FIRSTCALL_BASELINE_UNWIND_ROWS_H_
#define FIRSTCALL_BASELINE_UNWIND_ROWS_H_

#include <cstdint>
#include <vector>

#include "code/compiled_code.h"

namespace firstcall::baseline {

// What changes from `offset` on. Registers are DWARF's.
struct UnwindRow {
  enum class Kind : uint8_t {
    kFrame,          // The frame address is register + value.
    kFrameOffset,    // It is value bytes above its register.
    kFrameRegister,  // It is as far above another register.
    kSaved,          // The caller's register is value bytes below the frame address.
    kRestored,       // The register is the caller's again, as when the function began.
    kRemember,       // What follows ends with kRestore; then things are as they were.
    kRestore,
    kSignsReturnAddress,  // On AArch64: whether the return address is signed changes.
  };
  uint32_t offset = 0;
  Kind kind = Kind::kFrame;
  uint8_t reg = 0;
  uint32_t value = 0;
};

// How frames begin on an architecture.
struct UnwindConvention {
  uint8_t stack_pointer;   // DWARF's number.
  uint8_t return_address;  // The number of the register it is in, or seems to be in.
  uint8_t entry_distance;  // Of the frame address from the stack pointer when a function begins.
  bool is_return_address_saved;  // It lies below the frame address then.
};

// Of a function at the beginning of its section. Offsets are from there.
struct UnwindTable {
  uint32_t size = 0;
  const std::vector<UnwindRow>* rows = nullptr;  // In the order of offsets.
  bool has_exceptions = false;
  uint32_t exception_table = 0;
  uint32_t personality = 0;  // A symbol.
};

// Appends the entries to section number `unwind_section`, and their relocations.
void AppendUnwindTable(const UnwindConvention& convention, const UnwindTable& unwind,
                       uint32_t unwind_section, uint32_t code_symbol, CompiledCode& code);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_UNWIND_ROWS_H_

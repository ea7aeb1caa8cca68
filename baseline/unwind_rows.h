// Writes the unwind table (.eh_frame: DWARF 4, section 6.4, as the Linux Standard Base changes it)
// of a function with a frame pointer: rows that are exact at each instruction of its prologue and
// its epilogues, and the way to its exception table.
//
// Thread-safe: pure functions of their arguments.

#ifndef FIRSTCALL_BASELINE_UNWIND_ROWS_H_
#define FIRSTCALL_BASELINE_UNWIND_ROWS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "baseline/registers_x86_64.h"
#include "code/compiled_code.h"

namespace firstcall::baseline {

// Offsets are from the beginning of the code's section.
struct UnwindRows {
  uint32_t begin = 0;
  uint32_t size = 0;
  uint32_t frame_begin = 0;  // Of `push rbp`, behind which the prologue is as WritePrologue has it.
  RegisterSet saved_registers = 0;
  // From behind `leave` to behind `ret`.
  std::vector<std::pair<uint32_t, uint32_t>> epilogues;
  bool has_exceptions = false;
  uint32_t exception_table = 0;
  uint32_t personality = 0;  // A symbol.
};

// Appends the entries to section number `unwind_section`, and their relocations.
void AppendUnwindTable(const UnwindRows& rows, uint32_t code_section, uint32_t unwind_section,
                       uint32_t code_symbol, CompiledCode& code);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_UNWIND_ROWS_H_

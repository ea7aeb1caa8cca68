// Writes the finished code of a function: sections, symbols and relocations
// (object/compiled_code.h).
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CODE_WRITER_H_
#define FIRSTCALL_BACKEND_BASELINE_CODE_WRITER_H_

#include <cstdint>

#include "object/compiled_code.h"

namespace firstcall::baseline {

struct FunctionCode;

// Replaces the contents of `compiled`. `begin`: the offset of the prologue in the assembler's
// buffer. False if a target is out of reach.
bool WriteCode(FunctionCode& code, uint32_t begin, CompiledCode& compiled);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CODE_WRITER_H_

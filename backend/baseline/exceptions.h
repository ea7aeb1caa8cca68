// Invokes, landing pads, and the table by which the personality routine finds them: the
// language-specific data area of the Itanium C++ ABI, as libgcc's unwind-pe.h and libstdc++'s
// eh_personality.cc read it.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/unwinding_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_EXCEPTIONS_H_
#define FIRSTCALL_BACKEND_BASELINE_EXCEPTIONS_H_

#include <cstdint>
#include <vector>

#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct FunctionCode;

// What the exception table is made of.
struct ExceptionTable {
  struct CallSite {
    uint32_t begin, end;  // The extent of the call in the code.
    uint32_t label;       // The landing pad's label.
    const ir::Instruction* pad;
  };
  std::vector<CallSite> call_sites;
  std::vector<ir::Operand> types;  // Constants without casts, numbered from 1.

  void Clear() {
    call_sites.clear();
    types.clear();
  }
};

void LowerInvoke(FunctionCode& code, const ir::Instruction& invoke);
void LowerLandingPad(FunctionCode& code, const ir::Instruction& pad);
void LowerResume(FunctionCode& code, const ir::Instruction& resume);
// Of llvm.eh.typeid.for: the number by which a landing pad will be told that the exception is of
// the type.
void LowerTypeNumber(FunctionCode& code, const ir::Instruction& intrinsic);

// Writes the exception table into the pool and returns its offset in the pool. `begin`: the offset
// of the prologue in the buffer.
uint32_t WriteExceptionTable(FunctionCode& code, uint32_t begin);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_EXCEPTIONS_H_

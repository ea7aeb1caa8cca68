// The registers that a function sets to zero before it returns, so that they show nothing of what
// the function has computed with (-fzero-call-used-regs, attribute "zero-call-used-regs").
//
// Thread-safe: a pure function of its arguments. Tested in
// tests/backend/baseline/cleared_registers_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CLEARED_REGISTERS_H_
#define FIRSTCALL_BACKEND_BASELINE_CLEARED_REGISTERS_H_

#include "absl/strings/string_view.h"
#include "backend/baseline/architecture.h"
#include "backend/baseline/refusal.h"
#include "backend/baseline/registers.h"
#include "ir/function.h"

namespace firstcall::baseline {

// Sets `registers` to those that `kind`, the attribute's value, demands of `function`, a covered
// one: none of its results. More registers may be cleared than are used. Returns
// kFunctionAttribute for a kind that is not covered.
Refusal FindClearedRegisters(const ir::Function& function, absl::string_view kind,
                             const Architecture& architecture, RegisterSet& registers);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CLEARED_REGISTERS_H_

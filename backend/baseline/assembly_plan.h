// Where the operands of a call of inline assembly are. Constants are immediates if their
// constraints allow that. Other operands have a place of their own, unless the constraints say that
// they share one; often they could, but assembly has few operands.
//
// Thread-safe: a pure function. Tested in tests/backend/baseline/inline_assembly_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_ASSEMBLY_PLAN_H_
#define FIRSTCALL_BACKEND_BASELINE_ASSEMBLY_PLAN_H_

#include <optional>

#include "absl/container/inlined_vector.h"
#include "backend/baseline/architecture.h"
#include "backend/baseline/assembly_syntax.h"
#include "backend/baseline/registers.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

struct AssemblyPlan {
  // In the order of the constraints, in which the template counts them.
  absl::InlinedVector<AssemblyOperand, 8> operands;
  // For each argument of the call: the register that the argument must be in. kNoRegister: the
  // argument is an immediate.
  absl::InlinedVector<Register, 8> arguments;
  // For the result, or each member of the result: the register that the assembly leaves it in.
  absl::InlinedVector<Register, 4> results;
  // All registers that the assembly changes, or that operands are in.
  RegisterSet registers = 0;
};

// Whether `instruction` calls assembly with a text.
bool CallsAssembly(const ir::Function& function, const ir::Instruction& instruction);

// Nothing if an operand, or what the assembly changes, is not covered; never nothing for a call
// that call_coverage.h has not refused. `call` calls assembly with a text.
std::optional<AssemblyPlan> PlanAssembly(const ir::Function& function, const ir::Instruction& call,
                                         const Architecture& architecture);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_ASSEMBLY_PLAN_H_

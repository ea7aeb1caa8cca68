// Which operands the baseline code generator covers: the constants that code computes or reads.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_OPERAND_COVERAGE_H_
#define FIRSTCALL_BACKEND_BASELINE_OPERAND_COVERAGE_H_

#include "absl/types/span.h"
#include "backend/baseline/architecture.h"
#include "backend/baseline/refusal.h"
#include "backend/baseline/value_parts.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::baseline {

// Of these operands, which must be of `function`.
Refusal RefusalOf(const ir::Function& function, absl::Span<const ir::Operand> operands);

// Of all operands of the instruction that code computes.
Refusal RefusalOfOperands(const ir::Function& function, const ir::Instruction& instruction);

// Whether the type is x86_fp80, and this is a processor that does not compute with such numbers.
inline bool IsForeignFloat(const ir::Type* type, const Architecture& architecture) {
  return IsLongDouble(type) && !architecture.convention.has_long_doubles;
}

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_OPERAND_COVERAGE_H_

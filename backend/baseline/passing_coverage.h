// Which arguments and results the baseline code generator passes as LLVM does: those of functions
// and of calls.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc and
// tests/backend/baseline/vector_passing_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_PASSING_COVERAGE_H_
#define FIRSTCALL_BACKEND_BASELINE_PASSING_COVERAGE_H_

#include "backend/baseline/architecture.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/refusal.h"
#include "ir/attributes.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/type.h"

namespace firstcall::baseline {

// What decides how values are passed.
struct Passing {
  const ir::Function& function;  // Whose arguments and results, or calls, are looked at.
  const Architecture& architecture;
  const CoverageOptions& options;
  const CallingConvention& convention;
};

bool IsCoveredConvention(ir::CallingConvention convention, bool is_variadic);

// Whether parameters, or arguments, with these attributes are passed as ArgumentPlaces says. Looks
// at the whole list, results included, because that is much faster than looking at each parameter.
bool IsCovered(const ir::AttributeList& attributes, const CallingConvention& convention);

// Whether a function or a call with these attributes saves other registers than its calling
// convention says, or changes the processor's mode (AArch64's Scalable Matrix Extension).
bool LeavesConvention(const ir::AttributeSet& attributes, const CallingConvention& convention);

// Of a type of results.
bool IsCoveredReturn(const ir::Type* type, const Passing& passing);

// Of a type of arguments. What takes no place is passed as LLVM decides.
Refusal RefusalOfPassing(const ir::Type* type, const Passing& passing);

// Whether an integer with these attributes is extended to 128 bits, which is LLVM's to do.
bool IsExtendedWide(const ir::Type* type, const ir::AttributeSet& attributes);

// The type of everything that is passed in the register of one of Swift's attributes.
bool FillsRegister(const ir::Type* type);

// Whether LLVM passes arguments and results of the function, and of those that it calls, in vector
// registers of more than 16 bytes if they have so many.
bool UsesWideRegisters(const ir::Function& function, const Architecture& architecture,
                       const CoverageOptions& options);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_PASSING_COVERAGE_H_

// What one program of the command tells the other. Tested in tests/command/variants_test.cc and
// isolation_test.cc.

#ifndef FIRSTCALL_TOOLS_VARIANT_ENVIRONMENT_H_
#define FIRSTCALL_TOOLS_VARIANT_ENVIRONMENT_H_

namespace firstcall {

// An environment variable with the reason.
inline constexpr char kReasonVariable[] = "FIRSTCALL_REASON_FOR_LLVM";

// One with the process that has isolated this one (tools/isolation.h).
inline constexpr char kIsolatedByVariable[] = "FIRSTCALL_ISOLATED_BY";

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_VARIANT_ENVIRONMENT_H_

// How one program of the command tells the other why it is needed. Tested in
// tests/command/variants_test.cc.

#ifndef FIRSTCALL_TOOLS_VARIANT_ENVIRONMENT_H_
#define FIRSTCALL_TOOLS_VARIANT_ENVIRONMENT_H_

namespace firstcall {

// An environment variable with the reason.
inline constexpr char kReasonVariable[] = "FIRSTCALL_REASON_FOR_LLVM";

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_VARIANT_ENVIRONMENT_H_

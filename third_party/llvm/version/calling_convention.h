// What the code generator without LLVM must know of calling conventions: functions of both code
// generators call each other. Needs no other part of LLVM than its version.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_CALLING_CONVENTION_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_CALLING_CONVENTION_H_

#include "llvm/Config/llvm-config.h"

namespace firstcall::llvm_version {

// An i128 argument on x86-64 needs two registers, and goes to the stack if only one is left. This
// constant says whether a later argument gets the register that is left, as in the System V psABI
// (3.2.3), or whether that register stays unused.
constexpr bool kLaterArgumentsGetRegisters = LLVM_VERSION_MAJOR >= 22;

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_CALLING_CONVENTION_H_

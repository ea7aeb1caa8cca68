// What the code generator without LLVM must know of calling conventions: functions of both code
// generators call each other. Needs no other part of LLVM than its version.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_CALLING_CONVENTION_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_CALLING_CONVENTION_H_

#include "llvm/Config/llvm-config.h"

namespace firstcall::llvm_version {

// On x86-64: whether the register that is too few for an argument of 128 bits is for a later
// argument, as the ABI has it. Otherwise no later argument gets it.
constexpr bool kLaterArgumentsGetRegisters = LLVM_VERSION_MAJOR >= 22;

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_CALLING_CONVENTION_H_

// Details of instructions.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_INSTRUCTIONS_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_INSTRUCTIONS_H_

#include <cstdint>

#include "llvm/ADT/StringRef.h"
#include "llvm/Bitcode/LLVMBitCodes.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"

namespace firstcall::llvm_version {

// The number that `operation` has in bitcode, which is the same in all versions. Thread-safe.
inline uint8_t BitcodeNumberOf(llvm::AtomicRMWInst::BinOp operation) {
#if LLVM_VERSION_MAJOR >= 21
  // LLVM 21 has put two operations in front of others.
  switch (operation) {
    case llvm::AtomicRMWInst::FMaximum:
      return llvm::bitc::RMW_FMAXIMUM;
    case llvm::AtomicRMWInst::FMinimum:
      return llvm::bitc::RMW_FMINIMUM;
    case llvm::AtomicRMWInst::UIncWrap:
      return llvm::bitc::RMW_UINC_WRAP;
    case llvm::AtomicRMWInst::UDecWrap:
      return llvm::bitc::RMW_UDEC_WRAP;
    case llvm::AtomicRMWInst::USubCond:
      return llvm::bitc::RMW_USUB_COND;
    case llvm::AtomicRMWInst::USubSat:
      return llvm::bitc::RMW_USUB_SAT;
    default:
      break;
  }
#endif
  return static_cast<uint8_t>(operation);
}

// The intrinsic of this name, or llvm::Intrinsic::not_intrinsic. Thread-safe.
inline llvm::Intrinsic::ID IntrinsicOfName(llvm::StringRef name) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::Intrinsic::lookupIntrinsicID(name);
#else
  return llvm::Function::lookupIntrinsicID(name);
#endif
}

// The variable that a call of llvm.lifetime.start or llvm.lifetime.end names: the last argument.
// Before LLVM 22, a size precedes the pointer. Not thread-safe.
inline llvm::Value* LifetimePointer(const llvm::CallBase& marker) {
  return marker.getArgOperand(marker.arg_size() - 1);
}

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_INSTRUCTIONS_H_

// The instructions of LLVM IR, and what further distinguishes them.

#ifndef FIRSTCALL_IR_OPCODE_H_
#define FIRSTCALL_IR_OPCODE_H_

#include <cstdint>

namespace firstcall::ir {

enum class Opcode : uint8_t {
  // Terminators.
  kRet,
  kBr,
  kSwitch,
  kIndirectBr,
  kInvoke,
  kCallBr,
  kResume,
  kUnreachable,
  kCleanupRet,
  kCatchRet,
  kCatchSwitch,
  // One operand.
  kFNeg,
  // Two operands of one type.
  kAdd,
  kFAdd,
  kSub,
  kFSub,
  kMul,
  kFMul,
  kUDiv,
  kSDiv,
  kFDiv,
  kURem,
  kSRem,
  kFRem,
  kShl,
  kLShr,
  kAShr,
  kAnd,
  kOr,
  kXor,
  // Memory.
  kAlloca,
  kLoad,
  kStore,
  kGetElementPtr,
  kFence,
  kCmpXchg,
  kAtomicRmw,
  // Casts.
  kTrunc,
  kZExt,
  kSExt,
  kFPToUI,
  kFPToSI,
  kUIToFP,
  kSIToFP,
  kFPTrunc,
  kFPExt,
  kPtrToInt,
  kIntToPtr,
  kBitCast,
  kAddrSpaceCast,
  // Others.
  kCleanupPad,
  kCatchPad,
  kICmp,
  kFCmp,
  kPhi,
  kCall,
  kSelect,
  kVAArg,
  kExtractElement,
  kInsertElement,
  kShuffleVector,
  kExtractValue,
  kInsertValue,
  kLandingPad,
  kFreeze,
};

inline bool IsTerminator(Opcode opcode) { return opcode <= Opcode::kCatchSwitch; }
// Of two operands.
inline bool IsBinary(Opcode opcode) { return opcode >= Opcode::kAdd && opcode <= Opcode::kXor; }
inline bool IsCast(Opcode opcode) {
  return opcode >= Opcode::kTrunc && opcode <= Opcode::kAddrSpaceCast;
}
inline bool IsCommutative(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kFAdd:
    case Opcode::kMul:
    case Opcode::kFMul:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    default:
      return false;
  }
}

// The numbers of bitcode (and of llvm::CmpInst::Predicate).
enum class Predicate : uint8_t {
  kFalse = 0,
  kOeq,
  kOgt,
  kOge,
  kOlt,
  kOle,
  kOne,
  kOrd,
  kUno,
  kUeq,
  kUgt,
  kUge,
  kUlt,
  kUle,
  kUne,
  kTrue,
  kIcmpEq = 32,
  kIcmpNe,
  kIcmpUgt,
  kIcmpUge,
  kIcmpUlt,
  kIcmpUle,
  kIcmpSgt,
  kIcmpSge,
  kIcmpSlt,
  kIcmpSle,
};

// Whether the predicate compares integers as signed numbers, by size.
inline bool IsSigned(Predicate predicate) { return predicate >= Predicate::kIcmpSgt; }

// Of comparisons of floating-point numbers. Each bit of a predicate stands for an outcome for which
// it holds: 1 equal, 2 greater, 4 less, 8 unordered.
inline bool HoldsIfUnordered(Predicate predicate) {
  return (static_cast<uint8_t>(predicate) & 8) != 0;
}
// The predicate that holds exactly if `predicate` does not.
inline Predicate InverseOfFloats(Predicate predicate) {
  return static_cast<Predicate>(15 - static_cast<uint8_t>(predicate));
}
// The predicate that gives the same result if the operands are swapped.
inline Predicate SwappedOfFloats(Predicate predicate) {
  const auto bits = static_cast<uint8_t>(predicate);
  return static_cast<Predicate>((bits & 9) | (bits & 2) << 1 | (bits & 4) >> 1);
}

// The numbers of bitcode.
enum class AtomicOperation : uint8_t {
  kXchg = 0,
  kAdd,
  kSub,
  kAnd,
  kNand,
  kOr,
  kXor,
  kMax,
  kMin,
  kUMax,
  kUMin,
  kFAdd,
  kFSub,
  kFMax,
  kFMin,
  kUIncWrap,
  kUDecWrap,
  kUSubCond,
  kUSubSat,
  kFMaximum,
  kFMinimum,
};

// The numbers of bitcode.
enum class Ordering : uint8_t {
  kNotAtomic = 0,
  kUnordered,
  kMonotonic,
  kAcquire,
  kRelease,
  kAcquireRelease,
  kSequentiallyConsistent,
};

inline bool Acquires(Ordering ordering) {
  return ordering == Ordering::kAcquire || ordering >= Ordering::kAcquireRelease;
}
inline bool Releases(Ordering ordering) { return ordering >= Ordering::kRelease; }

// The numbers of llvm::CallingConv.
using CallingConvention = uint16_t;
inline constexpr CallingConvention kConventionC = 0, kConventionFast = 8, kConventionCold = 9,
                                   kConventionSwift = 16, kConventionX86_64SysV = 78;

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_OPCODE_H_

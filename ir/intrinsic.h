// LLVM's intrinsics, by number, as far as code generation or splitting asks for them.

#ifndef FIRSTCALL_IR_INTRINSIC_H_
#define FIRSTCALL_IR_INTRINSIC_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace firstcall::ir {

// In the order of their names. The list of the names is in intrinsic.cc.
enum class IntrinsicId : uint16_t {
  kNone,   // No intrinsic.
  kOther,  // An intrinsic that has no number here.
  kAbs,
  kAssume,
  kBswap,
  kCeil,
  kCopysign,
  kCos,
  kCtlz,
  kCtpop,
  kCttz,
  kDbgAssign,
  kDbgDeclare,
  kDbgLabel,
  kDbgValue,
  kDebugtrap,
  kDonothing,
  kEhTypeidFor,
  kExp,
  kExp2,
  kExpect,
  kExpectWithProbability,
  kExperimentalNoaliasScopeDecl,
  kFabs,
  kFloor,
  kFma,
  kFmuladd,
  kFrameaddress,
  kFshl,
  kFshr,
  kInvariantEnd,
  kIsConstant,
  kLaunderInvariantGroup,
  kLifetimeEnd,
  kLifetimeStart,
  kLlrint,
  kLlround,
  kLoadRelative,
  kLocalescape,
  kLocalrecover,
  kLog,
  kLog10,
  kLog2,
  kLrint,
  kLround,
  kMaxnum,
  kMemcpy,
  kMemcpyInline,
  kMemmove,
  kMemset,
  kMemsetInline,
  kMinnum,
  kNearbyint,
  kObjectsize,
  kPow,
  kPrefetch,
  kPseudoprobe,
  kPtrmask,
  kReturnaddress,
  kRint,
  kRound,
  kRoundeven,
  kSaddSat,
  kSaddWithOverflow,
  kSideeffect,
  kSin,
  kSmax,
  kSmin,
  kSmulWithOverflow,
  kSqrt,
  kSsubSat,
  kSsubWithOverflow,
  kStackrestore,
  kStacksave,
  kStripInvariantGroup,
  kTan,
  kThreadlocalAddress,
  kTrap,
  kTrunc,
  kUaddSat,
  kUaddWithOverflow,
  kUbsantrap,
  kUmax,
  kUmin,
  kUmulWithOverflow,
  kUsubSat,
  kUsubWithOverflow,
  kVaCopy,
  kVaEnd,
  kVaStart,
  kVarAnnotation,
  kVectorReduceAdd,
  kVectorReduceAnd,
  kVectorReduceOr,
  kVectorReduceSmax,
  kVectorReduceSmin,
  kVectorReduceUmax,
  kVectorReduceUmin,
  kVectorReduceXor,
};

// The intrinsic that a function with this name is: "llvm.memcpy.p0.p0.i64" is kMemcpy. kNone if the
// name does not begin with "llvm.". Thread-safe.
IntrinsicId IntrinsicOfName(absl::string_view name);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_INTRINSIC_H_

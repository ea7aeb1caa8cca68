#include "ir/intrinsic.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace firstcall::ir {
namespace {

// Whether the types of an intrinsic's arguments may follow its name.
enum class Suffix : uint8_t { kExact, kOverloaded };
constexpr Suffix kExact = Suffix::kExact, kOverloaded = Suffix::kOverloaded;

struct Row {
  absl::string_view name;  // Behind "llvm.".
  IntrinsicId id;
  Suffix suffix;
};

// Ordered by name. Has also the names that only begin like that of an intrinsic with a number.
constexpr Row kRows[] = {
    {"abs", IntrinsicId::kAbs, kOverloaded},
    {"acos", IntrinsicId::kAcos, kOverloaded},
    {"asin", IntrinsicId::kAsin, kOverloaded},
    {"assume", IntrinsicId::kAssume, kExact},
    {"atan", IntrinsicId::kAtan, kOverloaded},
    {"bitreverse", IntrinsicId::kBitreverse, kOverloaded},
    {"bswap", IntrinsicId::kBswap, kOverloaded},
    {"ceil", IntrinsicId::kCeil, kOverloaded},
    {"copysign", IntrinsicId::kCopysign, kOverloaded},
    {"cos", IntrinsicId::kCos, kOverloaded},
    {"cosh", IntrinsicId::kCosh, kOverloaded},
    {"ctlz", IntrinsicId::kCtlz, kOverloaded},
    {"ctpop", IntrinsicId::kCtpop, kOverloaded},
    {"cttz", IntrinsicId::kCttz, kOverloaded},
    {"dbg.assign", IntrinsicId::kDbgAssign, kExact},
    {"dbg.declare", IntrinsicId::kDbgDeclare, kExact},
    {"dbg.label", IntrinsicId::kDbgLabel, kExact},
    {"dbg.value", IntrinsicId::kDbgValue, kExact},
    {"debugtrap", IntrinsicId::kDebugtrap, kExact},
    {"donothing", IntrinsicId::kDonothing, kExact},
    {"eh.typeid.for", IntrinsicId::kEhTypeidFor, kOverloaded},
    {"exp", IntrinsicId::kExp, kOverloaded},
    {"exp2", IntrinsicId::kExp2, kOverloaded},
    {"expect", IntrinsicId::kExpect, kOverloaded},
    {"expect.with.probability", IntrinsicId::kExpectWithProbability, kOverloaded},
    {"experimental.constrained.acos", IntrinsicId::kConstrainedAcos, kOverloaded},
    {"experimental.constrained.asin", IntrinsicId::kConstrainedAsin, kOverloaded},
    {"experimental.constrained.atan", IntrinsicId::kConstrainedAtan, kOverloaded},
    {"experimental.constrained.ceil", IntrinsicId::kConstrainedCeil, kOverloaded},
    {"experimental.constrained.cos", IntrinsicId::kConstrainedCos, kOverloaded},
    {"experimental.constrained.cosh", IntrinsicId::kConstrainedCosh, kOverloaded},
    {"experimental.constrained.exp", IntrinsicId::kConstrainedExp, kOverloaded},
    {"experimental.constrained.exp2", IntrinsicId::kConstrainedExp2, kOverloaded},
    {"experimental.constrained.fadd", IntrinsicId::kConstrainedFadd, kOverloaded},
    {"experimental.constrained.fcmp", IntrinsicId::kConstrainedFcmp, kOverloaded},
    {"experimental.constrained.fcmps", IntrinsicId::kConstrainedFcmps, kOverloaded},
    {"experimental.constrained.fdiv", IntrinsicId::kConstrainedFdiv, kOverloaded},
    {"experimental.constrained.floor", IntrinsicId::kConstrainedFloor, kOverloaded},
    {"experimental.constrained.fma", IntrinsicId::kConstrainedFma, kOverloaded},
    {"experimental.constrained.fmul", IntrinsicId::kConstrainedFmul, kOverloaded},
    {"experimental.constrained.fmuladd", IntrinsicId::kConstrainedFmuladd, kOverloaded},
    {"experimental.constrained.fpext", IntrinsicId::kConstrainedFpext, kOverloaded},
    {"experimental.constrained.fptosi", IntrinsicId::kConstrainedFptosi, kOverloaded},
    {"experimental.constrained.fptoui", IntrinsicId::kConstrainedFptoui, kOverloaded},
    {"experimental.constrained.fptrunc", IntrinsicId::kConstrainedFptrunc, kOverloaded},
    {"experimental.constrained.frem", IntrinsicId::kConstrainedFrem, kOverloaded},
    {"experimental.constrained.fsub", IntrinsicId::kConstrainedFsub, kOverloaded},
    {"experimental.constrained.ldexp", IntrinsicId::kConstrainedLdexp, kOverloaded},
    {"experimental.constrained.llrint", IntrinsicId::kConstrainedLlrint, kOverloaded},
    {"experimental.constrained.llround", IntrinsicId::kConstrainedLlround, kOverloaded},
    {"experimental.constrained.log", IntrinsicId::kConstrainedLog, kOverloaded},
    {"experimental.constrained.log10", IntrinsicId::kConstrainedLog10, kOverloaded},
    {"experimental.constrained.log2", IntrinsicId::kConstrainedLog2, kOverloaded},
    {"experimental.constrained.lrint", IntrinsicId::kConstrainedLrint, kOverloaded},
    {"experimental.constrained.lround", IntrinsicId::kConstrainedLround, kOverloaded},
    {"experimental.constrained.maxnum", IntrinsicId::kConstrainedMaxnum, kOverloaded},
    {"experimental.constrained.minnum", IntrinsicId::kConstrainedMinnum, kOverloaded},
    {"experimental.constrained.nearbyint", IntrinsicId::kConstrainedNearbyint, kOverloaded},
    {"experimental.constrained.pow", IntrinsicId::kConstrainedPow, kOverloaded},
    {"experimental.constrained.rint", IntrinsicId::kConstrainedRint, kOverloaded},
    {"experimental.constrained.round", IntrinsicId::kConstrainedRound, kOverloaded},
    {"experimental.constrained.roundeven", IntrinsicId::kConstrainedRoundeven, kOverloaded},
    {"experimental.constrained.sin", IntrinsicId::kConstrainedSin, kOverloaded},
    {"experimental.constrained.sinh", IntrinsicId::kConstrainedSinh, kOverloaded},
    {"experimental.constrained.sitofp", IntrinsicId::kConstrainedSitofp, kOverloaded},
    {"experimental.constrained.sqrt", IntrinsicId::kConstrainedSqrt, kOverloaded},
    {"experimental.constrained.tan", IntrinsicId::kConstrainedTan, kOverloaded},
    {"experimental.constrained.tanh", IntrinsicId::kConstrainedTanh, kOverloaded},
    {"experimental.constrained.trunc", IntrinsicId::kConstrainedTrunc, kOverloaded},
    {"experimental.constrained.uitofp", IntrinsicId::kConstrainedUitofp, kOverloaded},
    {"experimental.noalias.scope.decl", IntrinsicId::kExperimentalNoaliasScopeDecl, kExact},
    {"fabs", IntrinsicId::kFabs, kOverloaded},
    {"floor", IntrinsicId::kFloor, kOverloaded},
    {"fma", IntrinsicId::kFma, kOverloaded},
    {"fmuladd", IntrinsicId::kFmuladd, kOverloaded},
    {"fptosi.sat", IntrinsicId::kFptosiSat, kOverloaded},
    {"fptoui.sat", IntrinsicId::kFptouiSat, kOverloaded},
    {"frameaddress", IntrinsicId::kFrameaddress, kOverloaded},
    {"fshl", IntrinsicId::kFshl, kOverloaded},
    {"fshr", IntrinsicId::kFshr, kOverloaded},
    {"invariant.end", IntrinsicId::kInvariantEnd, kOverloaded},
    {"invariant.start", IntrinsicId::kInvariantStart, kOverloaded},
    {"is.constant", IntrinsicId::kIsConstant, kOverloaded},
    {"is.fpclass", IntrinsicId::kIsFpclass, kOverloaded},
    {"launder.invariant.group", IntrinsicId::kLaunderInvariantGroup, kOverloaded},
    {"ldexp", IntrinsicId::kLdexp, kOverloaded},
    {"lifetime.end", IntrinsicId::kLifetimeEnd, kOverloaded},
    {"lifetime.start", IntrinsicId::kLifetimeStart, kOverloaded},
    {"llrint", IntrinsicId::kLlrint, kOverloaded},
    {"llround", IntrinsicId::kLlround, kOverloaded},
    {"load.relative", IntrinsicId::kLoadRelative, kOverloaded},
    {"localescape", IntrinsicId::kLocalescape, kExact},
    {"localrecover", IntrinsicId::kLocalrecover, kExact},
    {"log", IntrinsicId::kLog, kOverloaded},
    {"log10", IntrinsicId::kLog10, kOverloaded},
    {"log2", IntrinsicId::kLog2, kOverloaded},
    {"lrint", IntrinsicId::kLrint, kOverloaded},
    {"lround", IntrinsicId::kLround, kOverloaded},
    {"masked.compressstore", IntrinsicId::kMaskedCompressstore, kOverloaded},
    {"masked.expandload", IntrinsicId::kMaskedExpandload, kOverloaded},
    {"masked.gather", IntrinsicId::kMaskedGather, kOverloaded},
    {"masked.load", IntrinsicId::kMaskedLoad, kOverloaded},
    {"masked.scatter", IntrinsicId::kMaskedScatter, kOverloaded},
    {"masked.store", IntrinsicId::kMaskedStore, kOverloaded},
    {"maximum", IntrinsicId::kMaximum, kOverloaded},
    {"maxnum", IntrinsicId::kMaxnum, kOverloaded},
    {"memcpy", IntrinsicId::kMemcpy, kOverloaded},
    {"memcpy.element.unordered.atomic", IntrinsicId::kOther, kOverloaded},
    {"memcpy.inline", IntrinsicId::kMemcpyInline, kOverloaded},
    {"memmove", IntrinsicId::kMemmove, kOverloaded},
    {"memmove.element.unordered.atomic", IntrinsicId::kOther, kOverloaded},
    {"memset", IntrinsicId::kMemset, kOverloaded},
    {"memset.element.unordered.atomic", IntrinsicId::kOther, kOverloaded},
    {"memset.inline", IntrinsicId::kMemsetInline, kOverloaded},
    {"minimum", IntrinsicId::kMinimum, kOverloaded},
    {"minnum", IntrinsicId::kMinnum, kOverloaded},
    {"nearbyint", IntrinsicId::kNearbyint, kOverloaded},
    {"objectsize", IntrinsicId::kObjectsize, kOverloaded},
    {"pow", IntrinsicId::kPow, kOverloaded},
    {"prefetch", IntrinsicId::kPrefetch, kOverloaded},
    {"pseudoprobe", IntrinsicId::kPseudoprobe, kExact},
    {"ptrmask", IntrinsicId::kPtrmask, kOverloaded},
    {"returnaddress", IntrinsicId::kReturnaddress, kExact},
    {"rint", IntrinsicId::kRint, kOverloaded},
    {"round", IntrinsicId::kRound, kOverloaded},
    {"roundeven", IntrinsicId::kRoundeven, kOverloaded},
    {"sadd.sat", IntrinsicId::kSaddSat, kOverloaded},
    {"sadd.with.overflow", IntrinsicId::kSaddWithOverflow, kOverloaded},
    {"sideeffect", IntrinsicId::kSideeffect, kExact},
    {"sin", IntrinsicId::kSin, kOverloaded},
    {"sinh", IntrinsicId::kSinh, kOverloaded},
    {"smax", IntrinsicId::kSmax, kOverloaded},
    {"smin", IntrinsicId::kSmin, kOverloaded},
    {"smul.with.overflow", IntrinsicId::kSmulWithOverflow, kOverloaded},
    {"sqrt", IntrinsicId::kSqrt, kOverloaded},
    {"ssub.sat", IntrinsicId::kSsubSat, kOverloaded},
    {"ssub.with.overflow", IntrinsicId::kSsubWithOverflow, kOverloaded},
    {"stackrestore", IntrinsicId::kStackrestore, kOverloaded},
    {"stacksave", IntrinsicId::kStacksave, kOverloaded},
    {"strip.invariant.group", IntrinsicId::kStripInvariantGroup, kOverloaded},
    {"tan", IntrinsicId::kTan, kOverloaded},
    {"tanh", IntrinsicId::kTanh, kOverloaded},
    {"threadlocal.address", IntrinsicId::kThreadlocalAddress, kOverloaded},
    {"trap", IntrinsicId::kTrap, kExact},
    {"trunc", IntrinsicId::kTrunc, kOverloaded},
    {"uadd.sat", IntrinsicId::kUaddSat, kOverloaded},
    {"uadd.with.overflow", IntrinsicId::kUaddWithOverflow, kOverloaded},
    {"ubsantrap", IntrinsicId::kUbsantrap, kExact},
    {"umax", IntrinsicId::kUmax, kOverloaded},
    {"umin", IntrinsicId::kUmin, kOverloaded},
    {"umul.with.overflow", IntrinsicId::kUmulWithOverflow, kOverloaded},
    {"usub.sat", IntrinsicId::kUsubSat, kOverloaded},
    {"usub.with.overflow", IntrinsicId::kUsubWithOverflow, kOverloaded},
    {"va_copy", IntrinsicId::kVaCopy, kOverloaded},
    {"va_end", IntrinsicId::kVaEnd, kOverloaded},
    {"va_start", IntrinsicId::kVaStart, kOverloaded},
    {"var.annotation", IntrinsicId::kVarAnnotation, kOverloaded},
    {"vector.extract", IntrinsicId::kVectorExtract, kOverloaded},
    {"vector.insert", IntrinsicId::kVectorInsert, kOverloaded},
    {"vector.reduce.add", IntrinsicId::kVectorReduceAdd, kOverloaded},
    {"vector.reduce.and", IntrinsicId::kVectorReduceAnd, kOverloaded},
    {"vector.reduce.fadd", IntrinsicId::kVectorReduceFadd, kOverloaded},
    {"vector.reduce.fmax", IntrinsicId::kVectorReduceFmax, kOverloaded},
    {"vector.reduce.fmaximum", IntrinsicId::kVectorReduceFmaximum, kOverloaded},
    {"vector.reduce.fmin", IntrinsicId::kVectorReduceFmin, kOverloaded},
    {"vector.reduce.fminimum", IntrinsicId::kVectorReduceFminimum, kOverloaded},
    {"vector.reduce.fmul", IntrinsicId::kVectorReduceFmul, kOverloaded},
    {"vector.reduce.mul", IntrinsicId::kVectorReduceMul, kOverloaded},
    {"vector.reduce.or", IntrinsicId::kVectorReduceOr, kOverloaded},
    {"vector.reduce.smax", IntrinsicId::kVectorReduceSmax, kOverloaded},
    {"vector.reduce.smin", IntrinsicId::kVectorReduceSmin, kOverloaded},
    {"vector.reduce.umax", IntrinsicId::kVectorReduceUmax, kOverloaded},
    {"vector.reduce.umin", IntrinsicId::kVectorReduceUmin, kOverloaded},
    {"vector.reduce.xor", IntrinsicId::kVectorReduceXor, kOverloaded},
    {"x86.sse.cvtss2si", IntrinsicId::kX86SseCvtss2si, kExact},
    {"x86.sse.cvtss2si64", IntrinsicId::kX86SseCvtss2si64, kExact},
    {"x86.sse.cvttss2si", IntrinsicId::kX86SseCvttss2si, kExact},
    {"x86.sse.cvttss2si64", IntrinsicId::kX86SseCvttss2si64, kExact},
    {"x86.sse.max.ps", IntrinsicId::kX86SseMaxPs, kExact},
    {"x86.sse.max.ss", IntrinsicId::kX86SseMaxSs, kExact},
    {"x86.sse.min.ps", IntrinsicId::kX86SseMinPs, kExact},
    {"x86.sse.min.ss", IntrinsicId::kX86SseMinSs, kExact},
    {"x86.sse.movmsk.ps", IntrinsicId::kX86SseMovmskPs, kExact},
    {"x86.sse.rcp.ps", IntrinsicId::kX86SseRcpPs, kExact},
    {"x86.sse.rcp.ss", IntrinsicId::kX86SseRcpSs, kExact},
    {"x86.sse.rsqrt.ps", IntrinsicId::kX86SseRsqrtPs, kExact},
    {"x86.sse.rsqrt.ss", IntrinsicId::kX86SseRsqrtSs, kExact},
    {"x86.sse2.cvtpd2dq", IntrinsicId::kX86Sse2Cvtpd2dq, kExact},
    {"x86.sse2.cvtps2dq", IntrinsicId::kX86Sse2Cvtps2dq, kExact},
    {"x86.sse2.cvtsd2si", IntrinsicId::kX86Sse2Cvtsd2si, kExact},
    {"x86.sse2.cvtsd2si64", IntrinsicId::kX86Sse2Cvtsd2si64, kExact},
    {"x86.sse2.cvttpd2dq", IntrinsicId::kX86Sse2Cvttpd2dq, kExact},
    {"x86.sse2.cvttps2dq", IntrinsicId::kX86Sse2Cvttps2dq, kExact},
    {"x86.sse2.cvttsd2si", IntrinsicId::kX86Sse2Cvttsd2si, kExact},
    {"x86.sse2.cvttsd2si64", IntrinsicId::kX86Sse2Cvttsd2si64, kExact},
    {"x86.sse2.max.pd", IntrinsicId::kX86Sse2MaxPd, kExact},
    {"x86.sse2.max.sd", IntrinsicId::kX86Sse2MaxSd, kExact},
    {"x86.sse2.min.pd", IntrinsicId::kX86Sse2MinPd, kExact},
    {"x86.sse2.min.sd", IntrinsicId::kX86Sse2MinSd, kExact},
    {"x86.sse2.movmsk.pd", IntrinsicId::kX86Sse2MovmskPd, kExact},
    {"x86.sse2.packssdw.128", IntrinsicId::kX86Sse2Packssdw128, kExact},
    {"x86.sse2.packsswb.128", IntrinsicId::kX86Sse2Packsswb128, kExact},
    {"x86.sse2.packuswb.128", IntrinsicId::kX86Sse2Packuswb128, kExact},
    {"x86.sse2.pavg.b", IntrinsicId::kX86Sse2PavgB, kExact},
    {"x86.sse2.pavg.w", IntrinsicId::kX86Sse2PavgW, kExact},
    {"x86.sse2.pmadd.wd", IntrinsicId::kX86Sse2PmaddWd, kExact},
    {"x86.sse2.pmovmskb.128", IntrinsicId::kX86Sse2Pmovmskb128, kExact},
    {"x86.sse2.pmulh.w", IntrinsicId::kX86Sse2PmulhW, kExact},
    {"x86.sse2.pmulhu.w", IntrinsicId::kX86Sse2PmulhuW, kExact},
    {"x86.sse2.psad.bw", IntrinsicId::kX86Sse2PsadBw, kExact},
    {"x86.sse2.psll.d", IntrinsicId::kX86Sse2PsllD, kExact},
    {"x86.sse2.psll.q", IntrinsicId::kX86Sse2PsllQ, kExact},
    {"x86.sse2.psll.w", IntrinsicId::kX86Sse2PsllW, kExact},
    {"x86.sse2.pslli.d", IntrinsicId::kX86Sse2PslliD, kExact},
    {"x86.sse2.pslli.q", IntrinsicId::kX86Sse2PslliQ, kExact},
    {"x86.sse2.pslli.w", IntrinsicId::kX86Sse2PslliW, kExact},
    {"x86.sse2.psra.d", IntrinsicId::kX86Sse2PsraD, kExact},
    {"x86.sse2.psra.w", IntrinsicId::kX86Sse2PsraW, kExact},
    {"x86.sse2.psrai.d", IntrinsicId::kX86Sse2PsraiD, kExact},
    {"x86.sse2.psrai.w", IntrinsicId::kX86Sse2PsraiW, kExact},
    {"x86.sse2.psrl.d", IntrinsicId::kX86Sse2PsrlD, kExact},
    {"x86.sse2.psrl.q", IntrinsicId::kX86Sse2PsrlQ, kExact},
    {"x86.sse2.psrl.w", IntrinsicId::kX86Sse2PsrlW, kExact},
    {"x86.sse2.psrli.d", IntrinsicId::kX86Sse2PsrliD, kExact},
    {"x86.sse2.psrli.q", IntrinsicId::kX86Sse2PsrliQ, kExact},
    {"x86.sse2.psrli.w", IntrinsicId::kX86Sse2PsrliW, kExact},
};
constexpr size_t kCount = std::size(kRows);
constexpr uint8_t kNoRow = UINT8_MAX;
static_assert(kCount < kNoRow);

// Whether `name` is `prefix`, or begins with `prefix` and a dot.
constexpr bool BeginsWith(absl::string_view name, absl::string_view prefix) {
  return name.size() >= prefix.size() && name.substr(0, prefix.size()) == prefix &&
         (name.size() == prefix.size() || name[prefix.size()] == '.');
}

constexpr bool IsOrdered() {
  for (size_t i = 1; i < kCount; ++i) {
    if (kRows[i].name <= kRows[i - 1].name) return false;
  }
  return true;
}
static_assert(IsOrdered());

// For each row, the last one before it whose name the row's name begins with, or kNoRow.
constexpr std::array<uint8_t, kCount> FindShorterRows() {
  std::array<uint8_t, kCount> shorter = {};
  for (size_t i = 0; i < kCount; ++i) {
    shorter[i] = kNoRow;
    for (size_t j = 0; j < i; ++j) {
      if (BeginsWith(kRows[i].name, kRows[j].name)) shorter[i] = static_cast<uint8_t>(j);
    }
  }
  return shorter;
}
constexpr std::array<uint8_t, kCount> kShorterRows = FindShorterRows();

// The row with the longest name that `name` begins with, or kNoRow. All names between that row's
// and `name`, in the order of the table, begin with the name of that row, too.
uint8_t FindRow(absl::string_view name) {
  const Row* const behind =
      std::upper_bound(std::begin(kRows), std::end(kRows), name,
                       [](absl::string_view wanted, const Row& row) { return wanted < row.name; });
  if (behind == std::begin(kRows)) return kNoRow;
  uint8_t row = static_cast<uint8_t>(behind - kRows - 1);
  while (row != kNoRow && !BeginsWith(name, kRows[row].name)) row = kShorterRows[row];
  return row;
}

}  // namespace

IntrinsicId IntrinsicOfName(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "llvm.")) return IntrinsicId::kNone;
  const uint8_t number = FindRow(name);
  if (number == kNoRow) return IntrinsicId::kOther;
  const Row& row = kRows[number];
  const bool is_whole = name.size() == row.name.size();
  return is_whole || row.suffix == kOverloaded ? row.id : IntrinsicId::kOther;
}

}  // namespace firstcall::ir

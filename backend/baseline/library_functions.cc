#include "backend/baseline/library_functions.h"

namespace firstcall::baseline {
namespace {

using ir::IntrinsicId;

constexpr uint64_t kMostInline = 64;

struct MathFunction {
  IntrinsicId id;
  const char* for_float;
  const char* for_double;
};

constexpr MathFunction kMathFunctions[] = {
    {IntrinsicId::kFloor, "floorf", "floor"},
    {IntrinsicId::kCeil, "ceilf", "ceil"},
    {IntrinsicId::kTrunc, "truncf", "trunc"},
    {IntrinsicId::kRint, "rintf", "rint"},
    {IntrinsicId::kNearbyint, "nearbyintf", "nearbyint"},
    {IntrinsicId::kRound, "roundf", "round"},
    {IntrinsicId::kFma, "fmaf", "fma"},
    {IntrinsicId::kMinnum, "fminf", "fmin"},
    {IntrinsicId::kMaxnum, "fmaxf", "fmax"},
    {IntrinsicId::kPow, "powf", "pow"},
    {IntrinsicId::kExp, "expf", "exp"},
    {IntrinsicId::kExp2, "exp2f", "exp2"},
    {IntrinsicId::kLog, "logf", "log"},
    {IntrinsicId::kLog2, "log2f", "log2"},
    {IntrinsicId::kLog10, "log10f", "log10"},
    {IntrinsicId::kSin, "sinf", "sin"},
    {IntrinsicId::kCos, "cosf", "cos"},
    {IntrinsicId::kTan, "tanf", "tan"},
    {IntrinsicId::kLround, "lroundf", "lround"},
    {IntrinsicId::kLlround, "llroundf", "llround"},
    {IntrinsicId::kLrint, "lrintf", "lrint"},
    {IntrinsicId::kLlrint, "llrintf", "llrint"},
};

}  // namespace

const char* MathFunctionOf(IntrinsicId intrinsic, const ir::Type& type) {
  if (!type.IsFloat() && !type.IsDouble()) return nullptr;
  for (const MathFunction& function : kMathFunctions) {
    if (function.id == intrinsic) return type.IsFloat() ? function.for_float : function.for_double;
  }
  return nullptr;
}

int RoundingModeOf(IntrinsicId id) {
  switch (id) {
    case IntrinsicId::kRoundeven:
      return 8;
    case IntrinsicId::kFloor:
      return 9;
    case IntrinsicId::kCeil:
      return 10;
    case IntrinsicId::kTrunc:
      return 11;
    case IntrinsicId::kRint:
      return 4;
    case IntrinsicId::kNearbyint:
      return 12;
    default:
      return -1;
  }
}

bool IsMadeInLine(const ir::Function& function, const ir::Instruction& intrinsic) {
  const IntrinsicId id = function.IntrinsicOf(intrinsic);
  switch (id) {
    case IntrinsicId::kMemcpy:
    case IntrinsicId::kMemcpyInline:
    case IntrinsicId::kMemmove:
    case IntrinsicId::kMemset:
    case IntrinsicId::kMemsetInline:
      break;
    default:
      return false;
  }
  const ir::Constant* length = function.ConstantOf(function.OperandOf(intrinsic, 2));
  if (length == nullptr || !length->IsInteger()) return false;
  const uint64_t size = length->LimitedTo(UINT64_MAX);
  switch (id) {
    case IntrinsicId::kMemcpy:
      return size <= kMostInline;
    case IntrinsicId::kMemcpyInline:
      return true;
    case IntrinsicId::kMemmove:  // One load before one store.
      return size <= 2 || size == 4 || size == 8 || size == 16;
    default: {
      const ir::Constant* byte = function.ConstantOf(function.OperandOf(intrinsic, 1));
      return (size <= kMostInline && byte != nullptr && byte->IsInteger()) || size == 0;
    }
  }
}

}  // namespace firstcall::baseline

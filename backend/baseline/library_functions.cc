#include "backend/baseline/library_functions.h"

#include "backend/baseline/value_parts.h"

namespace firstcall::baseline {
namespace {

using ir::IntrinsicId;

constexpr uint64_t kMostInline = 64;

struct MathFunction {
  IntrinsicId id;
  const char* for_float;
  const char* for_double;
  const char* for_long_double;
};

constexpr MathFunction kMathFunctions[] = {
    {IntrinsicId::kFloor, "floorf", "floor", "floorl"},
    {IntrinsicId::kCeil, "ceilf", "ceil", "ceill"},
    {IntrinsicId::kTrunc, "truncf", "trunc", "truncl"},
    {IntrinsicId::kRint, "rintf", "rint", "rintl"},
    {IntrinsicId::kNearbyint, "nearbyintf", "nearbyint", "nearbyintl"},
    {IntrinsicId::kRound, "roundf", "round", "roundl"},
    {IntrinsicId::kFma, "fmaf", "fma", "fmal"},
    {IntrinsicId::kMinnum, "fminf", "fmin", "fminl"},
    {IntrinsicId::kMaxnum, "fmaxf", "fmax", "fmaxl"},
    {IntrinsicId::kPow, "powf", "pow", "powl"},
    {IntrinsicId::kExp, "expf", "exp", "expl"},
    {IntrinsicId::kExp2, "exp2f", "exp2", "exp2l"},
    {IntrinsicId::kLog, "logf", "log", "logl"},
    {IntrinsicId::kLog2, "log2f", "log2", "log2l"},
    {IntrinsicId::kLog10, "log10f", "log10", "log10l"},
    {IntrinsicId::kSin, "sinf", "sin", "sinl"},
    {IntrinsicId::kCos, "cosf", "cos", "cosl"},
    {IntrinsicId::kTan, "tanf", "tan", "tanl"},
    {IntrinsicId::kAcos, "acosf", "acos", "acosl"},
    {IntrinsicId::kAsin, "asinf", "asin", "asinl"},
    {IntrinsicId::kAtan, "atanf", "atan", "atanl"},
    {IntrinsicId::kCosh, "coshf", "cosh", "coshl"},
    {IntrinsicId::kSinh, "sinhf", "sinh", "sinhl"},
    {IntrinsicId::kTanh, "tanhf", "tanh", "tanhl"},
    {IntrinsicId::kLdexp, "ldexpf", "ldexp", "ldexpl"},
    {IntrinsicId::kLround, "lroundf", "lround", "lroundl"},
    {IntrinsicId::kLlround, "llroundf", "llround", "llroundl"},
    {IntrinsicId::kLrint, "lrintf", "lrint", "lrintl"},
    {IntrinsicId::kLlrint, "llrintf", "llrint", "llrintl"},
};

}  // namespace

const char* MathFunctionOf(IntrinsicId intrinsic, const ir::Type& type) {
  const bool is_long_double = IsLongDouble(&type) || IsQuad(&type);
  if (!type.IsFloat() && !type.IsDouble() && !is_long_double) return nullptr;
  for (const MathFunction& function : kMathFunctions) {
    if (function.id != intrinsic) continue;
    if (is_long_double) return function.for_long_double;
    return type.IsFloat() ? function.for_float : function.for_double;
  }
  return nullptr;
}

bool HasMathFunction(const ir::Function& function, const ir::Instruction& call,
                     IntrinsicId intrinsic) {
  return function.CallOf(call).argument_count != 0 &&
         MathFunctionOf(intrinsic, *function.TypeAt(call, 0)) != nullptr;
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

#include "backend/baseline/library_functions.h"

#include "llvm/IR/Constants.h"

namespace firstcall::baseline {
namespace {

using llvm::Intrinsic::ID;

constexpr uint64_t kMostInline = 64;

struct MathFunction {
  ID id;
  const char* for_float;
  const char* for_double;
};

constexpr MathFunction kMathFunctions[] = {
    {llvm::Intrinsic::floor, "floorf", "floor"},
    {llvm::Intrinsic::ceil, "ceilf", "ceil"},
    {llvm::Intrinsic::trunc, "truncf", "trunc"},
    {llvm::Intrinsic::rint, "rintf", "rint"},
    {llvm::Intrinsic::nearbyint, "nearbyintf", "nearbyint"},
    {llvm::Intrinsic::round, "roundf", "round"},
    {llvm::Intrinsic::fma, "fmaf", "fma"},
    {llvm::Intrinsic::minnum, "fminf", "fmin"},
    {llvm::Intrinsic::maxnum, "fmaxf", "fmax"},
    {llvm::Intrinsic::pow, "powf", "pow"},
    {llvm::Intrinsic::exp, "expf", "exp"},
    {llvm::Intrinsic::exp2, "exp2f", "exp2"},
    {llvm::Intrinsic::log, "logf", "log"},
    {llvm::Intrinsic::log2, "log2f", "log2"},
    {llvm::Intrinsic::log10, "log10f", "log10"},
    {llvm::Intrinsic::sin, "sinf", "sin"},
    {llvm::Intrinsic::cos, "cosf", "cos"},
    {llvm::Intrinsic::tan, "tanf", "tan"},
    {llvm::Intrinsic::lround, "lroundf", "lround"},
    {llvm::Intrinsic::llround, "llroundf", "llround"},
    {llvm::Intrinsic::lrint, "lrintf", "lrint"},
    {llvm::Intrinsic::llrint, "llrintf", "llrint"},
};

}  // namespace

const char* MathFunctionOf(const llvm::IntrinsicInst& intrinsic) {
  for (const MathFunction& function : kMathFunctions) {
    if (function.id != intrinsic.getIntrinsicID()) continue;
    const llvm::Type* type = intrinsic.getArgOperand(0)->getType();
    return type->isFloatTy()    ? function.for_float
           : type->isDoubleTy() ? function.for_double
                                : nullptr;
  }
  return nullptr;
}

int RoundingModeOf(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::roundeven:
      return 8;
    case llvm::Intrinsic::floor:
      return 9;
    case llvm::Intrinsic::ceil:
      return 10;
    case llvm::Intrinsic::trunc:
      return 11;
    case llvm::Intrinsic::rint:
      return 4;
    case llvm::Intrinsic::nearbyint:
      return 12;
    default:
      return -1;
  }
}

bool IsMadeInLine(const llvm::IntrinsicInst& intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memcpy_inline:
    case llvm::Intrinsic::memmove:
    case llvm::Intrinsic::memset:
    case llvm::Intrinsic::memset_inline:
      break;
    default:
      return false;
  }
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(intrinsic.getArgOperand(2));
  if (length == nullptr) return false;
  const uint64_t size = length->getValue().getLimitedValue();
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::memcpy:
      return size <= kMostInline;
    case llvm::Intrinsic::memcpy_inline:
      return true;
    case llvm::Intrinsic::memmove:  // One load before one store.
      return size <= 2 || size == 4 || size == 8 || size == 16;
    default:
      return (size <= kMostInline && llvm::isa<llvm::ConstantInt>(intrinsic.getArgOperand(1))) ||
             size == 0;
  }
}

}  // namespace firstcall::baseline

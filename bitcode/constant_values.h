// Constants that are numbers, as bitcode encodes them.
//
// Thread-safe: functions on what they are given.

#ifndef FIRSTCALL_BITCODE_CONSTANT_VALUES_H_
#define FIRSTCALL_BITCODE_CONSTANT_VALUES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "bitcode/constant_scope.h"
#include "ir/constant.h"
#include "ir/type.h"

namespace firstcall::bitcode {

// Constants of wider integers are ir::ConstantKind::kOther: their words would take much more memory
// than the file has for them.
inline constexpr uint32_t kWidestConstant = 2048;

// A number whose lowest bit says whether the others are to be negated.
constexpr uint64_t DecodeSigned(uint64_t number) {
  if ((number & 1) == 0) return number >> 1;
  return number == 1 ? uint64_t{1} << 63 : 0 - (number >> 1);
}

// Whether an array or a vector of `element`s may be a constant with bytes (kData).
bool IsDataElement(const ir::Type& element);

// These set the value of `constant`, which has its type.
//
// Zero, if the type has one: false otherwise.
bool SetZero(ir::Constant& constant);
// `operands`: the number's words, the lowest first, each coded as DecodeSigned says. The type must
// be an integer. False: there is no word.
bool SetInteger(absl::Span<const uint64_t> operands, ConstantScope& scope, ir::Constant& constant);
// `operands`: the bits. The type must be a floating-point number. False: there are too few.
bool SetFloat(absl::Span<const uint64_t> operands, ConstantScope& scope, ir::Constant& constant);
// `operands`: the elements. The type must be an array or a vector of `operands.size()` elements for
// which IsDataElement holds. If `has_end`, one more element is zero. False: too many elements.
bool SetData(absl::Span<const uint64_t> operands, bool has_end, ConstantScope& scope,
             ir::Constant& constant);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_CONSTANT_VALUES_H_

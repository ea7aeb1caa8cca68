#include "bitcode/constant_values.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace firstcall::bitcode {
namespace {

using ir::Constant;
using ir::ConstantKind;
using ir::Type;
using ir::TypeKind;

constexpr uint64_t kZeros[kWidestConstant / 64] = {};

size_t WordsOf(uint32_t bits) { return (bits + size_t{63}) / 64; }

uint64_t SignExtend(uint64_t number, uint32_t bits) {
  const uint32_t unused = 64 - bits;
  return static_cast<uint64_t>(static_cast<int64_t>(number << unused) >> unused);
}

// The bits of a floating-point number in memory.
uint32_t BitsOf(TypeKind kind) {
  switch (kind) {
    case TypeKind::kHalf:
    case TypeKind::kBFloat:
      return 16;
    case TypeKind::kFloat:
      return 32;
    case TypeKind::kDouble:
      return 64;
    case TypeKind::kX86Fp80:
      return 80;
    default:
      return 128;
  }
}

}  // namespace

bool IsDataElement(const Type& element) {
  switch (element.kind) {
    case TypeKind::kInteger:
      return element.number == 8 || element.number == 16 || element.number == 32 ||
             element.number == 64;
    case TypeKind::kHalf:
    case TypeKind::kBFloat:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
      return true;
    default:
      return false;
  }
}

bool SetZero(Constant& constant) {
  const Type& type = *constant.type;
  switch (type.kind) {
    case TypeKind::kInteger:
      if (type.number > kWidestConstant) return true;
      constant.kind = ConstantKind::kInteger;
      if (type.number > 64) constant.set_words({kZeros, WordsOf(type.number)});
      return true;
    case TypeKind::kPointer:
    case TypeKind::kStruct:
    case TypeKind::kArray:
    case TypeKind::kFixedVector:
    case TypeKind::kScalableVector:
    case TypeKind::kToken:
    case TypeKind::kTargetExtension:
      constant.kind = ConstantKind::kNull;
      return true;
    case TypeKind::kOpaqueStruct:  // Only LLVM knows.
      return true;
    default:
      if (!type.IsFloatingPoint()) return false;
      constant.kind = ConstantKind::kFloat;
      if (BitsOf(type.kind) > 64) constant.set_words({kZeros, 2});
      return true;
  }
}

bool SetInteger(absl::Span<const uint64_t> operands, ConstantScope& scope, Constant& constant) {
  if (operands.empty()) return false;
  const uint32_t bits = constant.type->number;
  if (bits > kWidestConstant) return true;
  constant.kind = ConstantKind::kInteger;
  if (bits <= 64) {
    constant.set_bits(SignExtend(DecodeSigned(operands[0]), bits));
    return true;
  }
  std::vector<uint64_t> words(WordsOf(bits));
  for (size_t i = 0; i < words.size() && i < operands.size(); ++i) {
    words[i] = DecodeSigned(operands[i]);
  }
  if (bits % 64 != 0) words.back() &= (uint64_t{1} << bits % 64) - 1;
  constant.set_words(scope.Keep(std::move(words)));
  return true;
}

bool SetFloat(absl::Span<const uint64_t> operands, ConstantScope& scope, Constant& constant) {
  const TypeKind kind = constant.type->kind;
  const uint32_t bits = BitsOf(kind);
  if (operands.size() < WordsOf(bits)) return false;
  constant.kind = ConstantKind::kFloat;
  if (bits <= 64) {
    constant.set_bits(bits == 64 ? operands[0] : operands[0] & ((uint64_t{1} << bits) - 1));
    return true;
  }
  uint64_t low = operands[0], high = operands[1];
  if (kind == TypeKind::kX86Fp80) {
    // The first word has the upper 64 bits, the second one the lower 16.
    low = operands[0] << 16 | (operands[1] & 0xffff);
    high = operands[0] >> 48;
  }
  constant.set_words(scope.Keep(std::vector<uint64_t>{low, high}));
  return true;
}

bool SetData(absl::Span<const uint64_t> operands, bool has_end, ConstantScope& scope,
             Constant& constant) {
  const Type& element = *constant.type->element();
  const size_t size = (element.IsInteger() ? element.number : BitsOf(element.kind)) / 8;
  if (operands.size() >= UINT32_MAX / size) return false;
  std::string data;
  data.reserve(size * (operands.size() + (has_end ? 1 : 0)));
  for (uint64_t number : operands) {
    for (size_t i = 0; i < size; ++i) data.push_back(static_cast<char>(number >> 8 * i));
  }
  if (has_end) data.append(size, '\0');
  constant.kind = ConstantKind::kData;
  constant.set_data(scope.Keep(std::move(data)));
  return true;
}

}  // namespace firstcall::bitcode

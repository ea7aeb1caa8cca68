#include "ir/data_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/round_up.h"
#include "ir/scalar_bits.h"
#include "third_party/llvm/version/data_layout.h"

namespace firstcall::ir {
namespace {

// Sizes in bytes are below this limit, so sizes in bits are numbers of 64 bits.
constexpr uint64_t kSizeLimit = uint64_t{1} << 61;
// Of a vector, in bits. Its natural alignment, in bytes, is a number of 32 bits then.
constexpr uint64_t kVectorLimit = uint64_t{1} << 32;
// LLVM aligns variables with initializers of more than `kLargeBits` bits at least so.
constexpr uint64_t kLargeBits = 128;
constexpr uint64_t kLargeAlignment = 16;

// In bytes, of numbers of `bits` bits without a rule of their own.
uint32_t NaturalAlignment(uint64_t bits) {
  uint64_t alignment = 1;
  while (alignment < (bits + 7) / 8) alignment *= 2;
  return static_cast<uint32_t>(alignment);
}

// Sets the layout of a type of `bytes` bytes, which contains other types.
void SetAggregate(Type& type, uint64_t bytes, uint32_t alignment) {
  if (bytes >= kSizeLimit) return;
  type.alignment = alignment;
  type.store_size = bytes;
  type.alloc_size = RoundUp(bytes, alignment);
  type.bit_size = bytes * 8;
  type.is_sized = type.alloc_size < kSizeLimit;
}

void LayArray(Type& type) {
  const Type& element = *type.element();
  if (!element.is_sized) return;
  if (element.alloc_size != 0 && type.count >= kSizeLimit / element.alloc_size) return;
  SetAggregate(type, element.alloc_size * type.count, element.alignment);
}

// The bits of a vector, whose elements are without padding; 0 if it has no layout.
uint64_t VectorBits(const Type& type) {
  const Type& element = *type.element();
  if (!element.is_sized || !(element.IsIntegerOrPointer() || element.IsFloatingPoint())) return 0;
  if (type.count >= kVectorLimit / element.bit_size) return 0;
  return type.count * element.bit_size;
}

}  // namespace

DataLayout::DataLayout()
    : integers_{{8, 1, 1, 0}, {16, 2, 2, 0}, {32, 4, 4, 0}, {64, 4, 8, 0}},
      floats_{{16, 2, 2, 0}, {32, 4, 4, 0}, {64, 8, 8, 0}, {128, 16, 16, 0}},
      vectors_{{64, 8, 8, 0}, {128, 16, 16, 0}},
      pointers_{{0, 8, 8, 64}} {
  if (llvm_version::kHasRuleForI1) integers_.insert(integers_.begin(), {1, 1, 1, 0});
}

// The rule of the next larger width holds for widths without a rule, or that of the largest one.
const DataLayout::Alignment& DataLayout::OfInteger(uint32_t bits) const {
  for (const Alignment& rule : integers_) {
    if (rule.bits >= bits) return rule;
  }
  return integers_.back();
}

DataLayout::Alignment DataLayout::OfNumber(const std::vector<Alignment>& rules,
                                           uint64_t bits) const {
  for (const Alignment& rule : rules) {
    if (rule.bits == bits) return rule;
  }
  const uint32_t natural = NaturalAlignment(bits);
  return {0, natural, natural, 0};
}

// The rule of address space 0 holds for address spaces without a rule.
const DataLayout::Alignment& DataLayout::OfPointer(uint32_t address_space) const {
  for (const Alignment& rule : pointers_) {
    if (rule.bits == address_space) return rule;
  }
  return pointers_.front();
}

DataLayout::Alignment DataLayout::OfScalar(const Type& type) const {
  switch (type.kind) {
    case TypeKind::kInteger:
      return OfInteger(type.number);
    case TypeKind::kPointer:
      return OfPointer(type.number);
    case TypeKind::kX86Amx:
      return {0, 64, 64, 0};
    case TypeKind::kX86Mmx:
      return OfNumber(vectors_, 64);
    case TypeKind::kFixedVector:
      return OfNumber(vectors_, VectorBits(type));
    default:
      return OfNumber(floats_, ScalarBits(type));
  }
}

void DataLayout::LayStructure(Type& type, std::vector<uint64_t>& offsets) const {
  const size_t first = offsets.size();
  uint64_t size = 0;
  uint32_t alignment = type.is_packed ? 1 : aggregate_.abi;
  uint32_t largest = 1;  // Alignment of the members.
  for (const Type* member : type.members()) {
    const uint32_t member_alignment = type.is_packed ? 1 : member->alignment;
    size = RoundUp(size, member_alignment);
    offsets.push_back(size);
    if (member->is_sized) size += member->alloc_size;
    if (!member->is_sized || size >= kSizeLimit) {
      offsets.resize(first);
      return;
    }
    largest = std::max(largest, member_alignment);
  }
  SetAggregate(type, RoundUp(size, largest), std::max(alignment, largest));
  if (!type.is_sized) offsets.resize(first);
}

void DataLayout::Lay(Type& type, std::vector<uint64_t>& offsets) const {
  type.is_sized = false;
  switch (type.kind) {
    case TypeKind::kStruct:
      return LayStructure(type, offsets);
    case TypeKind::kArray:
      return LayArray(type);
    case TypeKind::kFixedVector:
      type.bit_size = VectorBits(type);
      break;
    case TypeKind::kPointer:
      type.bit_size = OfPointer(type.number).size;
      break;
    default:
      type.bit_size = ScalarBits(type);
      break;
  }
  if (type.bit_size == 0) return;
  type.alignment = OfScalar(type).abi;
  type.store_size = (type.bit_size + 7) / 8;
  type.alloc_size = RoundUp(type.store_size, type.alignment);
  type.is_sized = true;
}

uint64_t DataLayout::PreferredAlignment(const Type& type) const {
  const Type* element = &type;
  while (element->IsArray()) element = element->element();
  const uint64_t preferred = element->IsStruct()
                                 ? std::max(element->alignment, aggregate_.preferred)
                                 : OfScalar(*element).preferred;
  return type.bit_size > kLargeBits ? std::max(preferred, kLargeAlignment) : preferred;
}

}  // namespace firstcall::ir

#include "ir/check_attributes.h"

#include <algorithm>

#include "ir/type_rules.h"

namespace firstcall::ir {
namespace {

// Offsets of arguments on the stack are numbers of 31 bits.
constexpr uint64_t kMostBytes = uint64_t{1} << 28;
// What a parameter passed by value takes at least.
constexpr uint64_t kLeastBytes = 8;

// The attribute has a type. The parameter is the address of a value of that type.
constexpr uint64_t kWithType = BitOf(Attribute::kByVal) | BitOf(Attribute::kByRef) |
                               BitOf(Attribute::kStructRet) | BitOf(Attribute::kInAlloca) |
                               BitOf(Attribute::kPreallocated);
// A parameter has at most one of these.
constexpr uint64_t kExclusive = kWithType | BitOf(Attribute::kNest);
// At most one parameter has each of these.
constexpr uint64_t kOnce = BitOf(Attribute::kStructRet) | BitOf(Attribute::kNest) |
                           BitOf(Attribute::kSwiftSelf) | BitOf(Attribute::kSwiftError) |
                           BitOf(Attribute::kSwiftAsync);
constexpr uint64_t kOfPointers = kExclusive | BitOf(Attribute::kSwiftError);

bool IsPowerOfTwoOrZero(uint32_t number) { return (number & (number - 1)) == 0; }

}  // namespace

Fault ParameterChecker::AddByValue(const AttributeSet& set) {
  if (!IsPowerOfTwoOrZero(set.alignment) || !IsPowerOfTwoOrZero(set.stack_alignment)) {
    return Fault::Invalid("the alignment of a parameter is no power of two");
  }
  bytes_ += std::max(kLeastBytes, std::min(set.type->alloc_size, kMostBytes));
  return bytes_ < kMostBytes ? Fault() : Fault::Unknown("2^28 bytes or more passed by value");
}

Fault ParameterChecker::Add(uint32_t index, const Type& type, const AttributeSet& set,
                            uint64_t kinds) {
  if (!IsNeeded(kinds)) return {};
  if ((kinds & kOfPointers) != 0 && !type.IsPointer()) {
    return Fault::Invalid("an attribute of pointers at what is no pointer");
  }
  const uint64_t exclusive = kinds & kExclusive;
  if ((exclusive & (exclusive - 1)) != 0) {
    return Fault::Invalid("attributes that exclude each other");
  }
  if ((kinds & seen_) != 0) {
    return Fault::Invalid("two parameters with an attribute that only one can have");
  }
  seen_ |= kinds & kOnce;
  if ((kinds & BitOf(Attribute::kStructRet)) != 0 && index > 1) {
    return Fault::Invalid("a parameter with sret that is neither the first nor the second one");
  }
  if ((kinds & kWithType) == 0) return {};
  if (set.type == nullptr) return Fault::Invalid("an attribute without its type");
  // The address of a result may be that of any type.
  if ((kinds & BitOf(Attribute::kStructRet)) != 0) return {};
  if (Fault fault = CheckHasLayout(*set.type)) return fault;
  return (kinds & BitOf(Attribute::kByVal)) != 0 ? AddByValue(set) : Fault();
}

}  // namespace firstcall::ir

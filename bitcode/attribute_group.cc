#include "bitcode/attribute_group.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "bitcode/attribute_kinds.h"
#include "bitcode/records.h"

namespace firstcall::bitcode {
namespace {

using ir::Attribute;

constexpr uint64_t kLargestAlignment = uint64_t{1} << 32, kLargestStackAlignment = 256;
// The number of the attribute that says how an address may be captured; 0: in no way.
constexpr uint64_t kCapturesAttribute = 102;

absl::Status Ends() { return absl::InvalidArgumentError("the record ends within an attribute"); }

bool IsPowerOfTwo(uint64_t number) { return number != 0 && (number & (number - 1)) == 0; }

}  // namespace

absl::StatusOr<ir::AttributeSet> AttributeGroup::Parse(ir::Module& module) {
  while (!IsAtEnd()) FIRSTCALL_RETURN_IF_ERROR(ParseOne());
  if (!strings_.empty()) set_.strings = KeepStrings(module);
  return set_;
}

bool AttributeGroup::Take(uint64_t& operand) {
  if (IsAtEnd()) return false;
  operand = operands_[next_++];
  return true;
}

absl::Status AttributeGroup::ParseOne() {
  uint64_t form, kind;
  if (!Take(form)) return Ends();
  if (form == kAttributeString || form == kAttributeStringAndValue) {
    return ParseString(form == kAttributeStringAndValue);
  }
  if (!Take(kind)) return Ends();
  switch (form) {
    case kAttributePlain:
    case kAttributeNoType: {
      const uint64_t bits = BitsOfAttribute(kind);
      // Before LLVM 15, such an attribute took its type from the pointer's.
      set_.kinds |= NamesType(bits) ? BitOf(Attribute::kUnknown) : bits;
      return absl::OkStatus();
    }
    case kAttributeNumber:
      return ParseNumber(kind);
    case kAttributeType:
      return ParseType(kind);
    case kAttributeRange: {
      uint64_t bits;
      if (!Take(bits) || !SkipRange(bits)) return Ends();
      set_.kinds |= BitsOfAttribute(kind);
      return absl::OkStatus();
    }
    case kAttributeRanges:
      if (!SkipRanges()) return Ends();
      set_.kinds |= BitsOfAttribute(kind);
      return absl::OkStatus();
    default:
      return absl::UnimplementedError(absl::StrCat("an attribute of the form ", form));
  }
}

absl::Status AttributeGroup::ParseNumber(uint64_t kind) {
  uint64_t number;
  if (!Take(number)) return Ends();
  const uint64_t bits = BitsOfAttribute(kind);
  const bool is_alignment = bits == BitOf(Attribute::kAlign);
  if (is_alignment || bits == BitOf(Attribute::kStackAlignment)) {
    if (number == 0) return absl::OkStatus();
    if (!IsPowerOfTwo(number) ||
        number > (is_alignment ? kLargestAlignment : kLargestStackAlignment)) {
      return absl::InvalidArgumentError(absl::StrCat("an alignment of ", number, " bytes"));
    }
    (is_alignment ? set_.alignment : set_.stack_alignment) = static_cast<uint32_t>(number);
  }
  set_.kinds |= bits;
  if (kind == kCapturesAttribute && number == 0) set_.kinds |= BitOf(Attribute::kNoCapture);
  return absl::OkStatus();
}

absl::Status AttributeGroup::ParseType(uint64_t kind) {
  uint64_t number;
  if (!Take(number)) return Ends();
  const ir::Type* const type = types_.Find(number);
  if (type == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("an attribute of type ", number, ", which there is not"));
  }
  set_.kinds |= BitsOfAttribute(kind);
  set_.type = type;
  return absl::OkStatus();
}

absl::Status AttributeGroup::ParseString(bool has_value) {
  Place place = {};
  if (!TakeText(place.name, place.name_size)) return Ends();
  if (has_value && !TakeText(place.value, place.value_size)) return Ends();
  strings_.push_back(place);
  return absl::OkStatus();
}

bool AttributeGroup::TakeText(size_t& first, size_t& size) {
  first = text_.size();
  uint64_t character;
  while (Take(character)) {
    if (character == 0) {
      size = text_.size() - first;
      return true;
    }
    text_.push_back(static_cast<char>(character));
  }
  return false;
}

// Two numbers of `bits` bits. If these are more than 64, how many words each number has comes
// first.
bool AttributeGroup::SkipRange(uint64_t bits) {
  uint64_t words = 2;
  if (bits > 64) {
    uint64_t counts;
    if (!Take(counts)) return false;
    words = (counts & UINT32_MAX) + (counts >> 32);
  }
  if (words > operands_.size() - next_) return false;
  next_ += words;
  return true;
}

bool AttributeGroup::SkipRanges() {
  uint64_t count, bits;
  if (!Take(count) || !Take(bits)) return false;
  for (; count != 0; --count) {
    if (IsAtEnd() || !SkipRange(bits)) return false;
  }
  return true;
}

// In the order of names, as LLVM has string attributes. Of two with the same name, the last one
// counts.
absl::Span<const ir::StringAttribute> AttributeGroup::KeepStrings(ir::Module& module) {
  const absl::string_view text = module.storage().Keep(std::move(text_));
  std::vector<ir::StringAttribute> strings;
  strings.reserve(strings_.size());
  for (const Place& place : strings_) {
    strings.push_back(
        {text.substr(place.name, place.name_size), text.substr(place.value, place.value_size)});
  }
  const auto precedes = [](const ir::StringAttribute& a, const ir::StringAttribute& b) {
    return a.name < b.name;
  };
  std::stable_sort(strings.begin(), strings.end(), precedes);
  const auto is_same = [](const ir::StringAttribute& a, const ir::StringAttribute& b) {
    return a.name == b.name;
  };
  // std::unique keeps the first one of several, so from the back.
  const auto kept = std::unique(strings.rbegin(), strings.rend(), is_same);
  strings.erase(strings.begin(), kept.base());
  return module.storage().Keep(std::move(strings));
}

}  // namespace firstcall::bitcode

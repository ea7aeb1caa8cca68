// One group of attributes: what a record of the block PARAMATTR_GROUP says.
//
// A part of AttributeReader. Thread-compatible.

#ifndef FIRSTCALL_BITCODE_ATTRIBUTE_GROUP_H_
#define FIRSTCALL_BITCODE_ATTRIBUTE_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "bitcode/type_table.h"
#include "ir/attributes.h"
#include "ir/module.h"

namespace firstcall::bitcode {

class AttributeGroup {
 public:
  // Parses `operands`, the attributes of a group. Both must outlive the object.
  AttributeGroup(absl::Span<const uint64_t> operands, const TypeTable& types)
      : operands_(operands), types_(types) {}

  // Strings are kept in `module`. InvalidArgument if the operands are no list of attributes;
  // Unimplemented for a form of attributes that is not known.
  absl::StatusOr<ir::AttributeSet> Parse(ir::Module& module);

 private:
  // A string attribute, as places in text_.
  struct Place {
    size_t name, name_size, value, value_size;
  };

  bool IsAtEnd() const { return next_ == operands_.size(); }
  // False if there is no further operand.
  bool Take(uint64_t& operand);
  absl::Status ParseOne();
  absl::Status ParseNumber(uint64_t kind);
  absl::Status ParseType(uint64_t kind);
  absl::Status ParseString(bool has_value);
  // Appends the characters before the next zero to text_.
  bool TakeText(size_t& first, size_t& size);
  bool SkipRange(uint64_t bits);
  bool SkipRanges();
  absl::Span<const ir::StringAttribute> KeepStrings(ir::Module& module);

  absl::Span<const uint64_t> operands_;
  const TypeTable& types_;
  size_t next_ = 0;
  ir::AttributeSet set_;
  std::string text_;
  std::vector<Place> strings_;
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_ATTRIBUTE_GROUP_H_

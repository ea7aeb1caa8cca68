#include "bitcode/attribute_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "bitcode/attribute_group.h"
#include "bitcode/attribute_kinds.h"
#include "bitcode/block_walk.h"
#include "bitcode/records.h"

namespace firstcall::bitcode {
namespace {

constexpr uint64_t kFunction = UINT32_MAX;

// Whether there are no attributes. Parameters are only there if one of them has some.
bool IsEmpty(const ir::AttributeList& list) {
  return list.anywhere == 0 && list.function.strings.empty() && list.result.strings.empty() &&
         list.parameters.empty();
}

// Adds the attributes of `from` to `set`.
void Merge(const ir::AttributeSet& from, ir::AttributeSet& set) {
  set.kinds |= from.kinds;
  if (from.alignment != 0) set.alignment = from.alignment;
  if (from.stack_alignment != 0) set.stack_alignment = from.stack_alignment;
  if (from.type != nullptr) set.type = from.type;
  if (!from.strings.empty()) set.strings = from.strings;
}

}  // namespace

AttributeReader::AttributeReader(const TypeTable& types, size_t parameter_limit, ir::Module& module,
                                 std::vector<const ir::AttributeList*>& lists)
    : types_(types), module_(module), lists_(lists), parameters_left_(parameter_limit) {
  lists_.push_back(module.storage().AddAttributes());
}

absl::Status AttributeReader::ReadGroups(BitReader& reader) {
  return WalkRecords(reader, [&](const Record& record) {
    return record.code == kAttributeGroupEntry ? ReadGroup(record.operands) : absl::OkStatus();
  });
}

absl::Status AttributeReader::ReadGroup(absl::Span<const uint64_t> operands) {
  if (operands.size() < 2) {
    return absl::InvalidArgumentError("a group of attributes has no number");
  }
  const uint64_t number = operands[0];
  absl::StatusOr<ir::AttributeSet> set = AttributeGroup(operands.subspan(2), types_).Parse(module_);
  if (!set.ok()) return Annotate(set.status(), absl::StrCat("group ", number, " of attributes"));
  if (operands[1] != kFunction) set->kinds &= ~BitOf(ir::Attribute::kMemory);
  groups_[number] = {operands[1], *set};
  return absl::OkStatus();
}

absl::Status AttributeReader::ReadLists(BitReader& reader) {
  return WalkRecords(reader, [&](const Record& record) {
    return record.code == kAttributeEntry
               ? ReadList(record.operands)
               : absl::UnimplementedError(absl::StrCat("attributes with the code ", record.code));
  });
}

absl::Status AttributeReader::ReadList(absl::Span<const uint64_t> operands) {
  ir::AttributeList list;
  for (uint64_t number : operands) {
    const auto group = groups_.find(number);
    if (group == groups_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("list ", lists_.size(), " of attributes: ", "there is no group ", number));
    }
    FIRSTCALL_RETURN_IF_ERROR(AddTo(list, group->second));
  }
  if (IsEmpty(list)) {
    lists_.push_back(lists_[0]);
    return absl::OkStatus();
  }
  ir::AttributeList* const added = module_.storage().AddAttributes();
  *added = std::move(list);
  lists_.push_back(added);
  return absl::OkStatus();
}

absl::Status AttributeReader::AddTo(ir::AttributeList& list, const Group& group) {
  const ir::AttributeSet& set = group.set;
  if (set.kinds == 0 && set.strings.empty()) return absl::OkStatus();
  list.anywhere |= set.kinds;
  if (group.owner == kFunction || group.owner == 0) {
    Merge(set, group.owner == 0 ? list.result : list.function);
    return absl::OkStatus();
  }
  const uint64_t count = list.parameters.size();
  if (group.owner > count) {
    if (group.owner - count > parameters_left_) {
      return absl::UnimplementedError("there are too many parameters with attributes");
    }
    parameters_left_ -= group.owner - count;
    list.parameters.resize(group.owner);
  }
  Merge(set, list.parameters[group.owner - 1]);
  return absl::OkStatus();
}

}  // namespace firstcall::bitcode

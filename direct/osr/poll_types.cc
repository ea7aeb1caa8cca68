#include "direct/osr/poll_types.h"

#include <algorithm>
#include <iterator>

#include "ir/operand.h"

namespace firstcall::direct {

using ir::TypeKind;

void PollTypes::Note(const ir::Type& type) {
  Simple simple = kSimpleCount;
  if (type.IsVoid()) {
    simple = kVoid;
  } else if (type.IsPointer()) {
    if (type.number == 0) simple = kPointer;
  } else if (type.IsInteger()) {
    if (type.number == 1) simple = kBit;
    if (type.number == 8) simple = kByte;
    if (type.number == 32) simple = kWord;
  }
  if (simple == kSimpleCount || is_of_module_[simple]) return;
  simple_[simple] = &type;
  is_of_module_[simple] = true;
}

void PollTypes::Update() {
  if (is_complete_) return;
  for (; seen_ < module_.types().size(); ++seen_) Note(module_.types()[seen_]);
  is_complete_ = std::all_of(std::begin(is_of_module_), std::end(is_of_module_),
                             [](bool is_of_module) { return is_of_module; });
  if (!is_complete_) AddMissing();
}

void PollTypes::AddMissing() {
  const auto add = [&](Simple simple, TypeKind kind, uint32_t number) {
    if (simple_[simple] != nullptr) return;
    ir::Type type;
    type.kind = kind;
    type.number = number;
    simple_[simple] = Add(type);
  };
  add(kVoid, TypeKind::kVoid, 0);
  add(kBit, TypeKind::kInteger, 1);
  add(kByte, TypeKind::kInteger, 8);
  add(kWord, TypeKind::kInteger, 32);
  add(kPointer, TypeKind::kPointer, 0);
}

ir::Type* PollTypes::Add(ir::Type type) {
  offsets_.clear();
  module_.layout().Lay(type, offsets_);
  type.index = ir::kNone;
  return &own_.emplace_back(type);
}

const ir::Type* PollTypes::Function(const ir::Type* result,
                                    absl::Span<const ir::Type* const> parameters) {
  for (const ir::Type* type : functions_) {
    if (type->result() == result && type->parameters() == parameters) return type;
  }
  std::vector<const ir::Type*>& contained = lists_.emplace_back();
  contained.push_back(result);
  contained.insert(contained.end(), parameters.begin(), parameters.end());
  ir::Type type;
  type.kind = TypeKind::kFunction;
  type.contained = contained;
  functions_.push_back(Add(type));
  return functions_.back();
}

void PollTypes::SetArray(const ir::Type* const* element, uint64_t count, ir::Type& array) {
  array.kind = TypeKind::kArray;
  array.count = count;
  array.contained = {element, 1};
  array.index = ir::kNone;
  offsets_.clear();
  module_.layout().Lay(array, offsets_);
}

const ir::Type* PollTypes::Bytes(uint64_t size) {
  SetArray(&simple_[kByte], size, bytes_);
  return &bytes_;
}

PollTypes::Layout PollTypes::LayoutOf(uint32_t pointers, absl::Span<const ir::Type* const> values) {
  SetArray(&simple_[kPointer], pointers, pointers_);
  members_.assign(1, &pointers_);
  members_.insert(members_.end(), values.begin(), values.end());
  ir::Type type;
  type.kind = TypeKind::kStruct;
  type.contained = members_;
  offsets_.clear();
  module_.layout().Lay(type, offsets_);
  return {type.alloc_size, type.alignment, absl::MakeConstSpan(offsets_).subspan(1)};
}

}  // namespace firstcall::direct

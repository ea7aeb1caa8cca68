#include "bitcode/type_table.h"

#include "absl/hash/hash.h"

namespace firstcall::bitcode {
namespace {

// Whether all types that look like the type are the same type.
bool IsStructural(const ir::Type& type) {
  switch (type.kind) {
    case ir::TypeKind::kStruct:
      return type.is_literal;
    case ir::TypeKind::kOpaqueStruct:
    case ir::TypeKind::kTargetExtension:  // Names and parameters are not kept.
      return false;
    default:
      return true;
  }
}

}  // namespace

size_t TypeTable::Hash::operator()(const ir::Type* type) const {
  return absl::HashOf(type->kind, type->number, type->count, type->is_packed, type->is_variadic,
                      type->contained);
}

bool TypeTable::Equal::operator()(const ir::Type* a, const ir::Type* b) const {
  return a->kind == b->kind && a->number == b->number && a->count == b->count &&
         a->is_packed == b->is_packed && a->is_variadic == b->is_variadic &&
         a->contained == b->contained;
}

const ir::Type* TypeTable::FindLike(const ir::Type& type) const {
  const auto found = distinct_.find(&type);
  return found == distinct_.end() ? nullptr : *found;
}

const ir::Type* TypeTable::FindVector(const ir::Type* element, const ir::Type& like) const {
  ir::Type vector;
  vector.kind = like.kind;
  vector.count = like.count;
  vector.contained = {&element, 1};
  return FindLike(vector);
}

const ir::Type* TypeTable::FindStruct(absl::Span<const ir::Type* const> members) const {
  ir::Type structure;
  structure.kind = ir::TypeKind::kStruct;
  structure.contained = members;
  return FindLike(structure);
}

void TypeTable::Append(const ir::Type& type, ir::Module& module) {
  const ir::Type* same = IsStructural(type) ? FindLike(type) : nullptr;
  types_.push_back(same != nullptr ? same : Add(type, module));
}

const ir::Type* TypeTable::Pointer(uint32_t address_space, ir::Module& module) {
  const ir::Type* const pointer = FindPointer(address_space);
  if (pointer != nullptr) return pointer;
  return Add(Plain(ir::TypeKind::kPointer, address_space), module);
}

const ir::Type* TypeTable::Add(const ir::Type& type, ir::Module& module) {
  ir::Type kept = type;
  kept.contained = module.storage().Keep(
      std::vector<const ir::Type*>(type.contained.begin(), type.contained.end()));
  const ir::Type* const added = module.AddType(kept);
  if (IsStructural(type)) distinct_.insert(added);
  if (type.IsVoid()) void_ = added;
  if (type.kind == ir::TypeKind::kMetadata) metadata_ = added;
  if (type.IsPointer() && type.number == 0) pointer_ = added;
  if (type.IsInteger(1)) i1_ = added;
  return added;
}

}  // namespace firstcall::bitcode

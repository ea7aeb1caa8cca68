// The types of a module of bitcode, by number.
//
// Two numbers of the same type have the same ir::Type, but for structures with names, of which each
// number is a type of its own. Thread-safe once it is complete.

#ifndef FIRSTCALL_BITCODE_TYPE_TABLE_H_
#define FIRSTCALL_BITCODE_TYPE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "ir/module.h"
#include "ir/type.h"

namespace firstcall::bitcode {

class TypeTable {
 public:
  size_t size() const { return types_.size(); }
  // Null if there is no such number.
  const ir::Type* Find(uint64_t number) const {
    return number < types_.size() ? types_[number] : nullptr;
  }

  // These look for a type in the table, whatever its number is. Null if the table lacks the type: a
  // file that uses the type names it in its table.
  const ir::Type* FindVoid() const { return void_; }
  const ir::Type* FindMetadata() const { return metadata_; }
  const ir::Type* FindToken() const { return FindLike(Plain(ir::TypeKind::kToken, 0)); }
  const ir::Type* FindPointer(uint32_t address_space) const {
    return address_space == 0 ? pointer_ : FindLike(Plain(ir::TypeKind::kPointer, address_space));
  }
  const ir::Type* FindInteger(uint32_t bits) const {
    return bits == 1 ? i1_ : FindLike(Plain(ir::TypeKind::kInteger, bits));
  }
  // The vector of `element` that is as long as the vector `like`.
  const ir::Type* FindVector(const ir::Type* element, const ir::Type& like) const;
  // The structure without a name and with padding.
  const ir::Type* FindStruct(absl::Span<const ir::Type* const> members) const;

  // For the reader: appends `type` as the next number. Takes the object of the same type if there
  // is one in the table; otherwise keeps the contained types in `module`.
  void Append(const ir::Type& type, ir::Module& module);
  // For readers of the module: the type of the pointers of an address space, which is added to
  // `module` if it is not there.
  const ir::Type* Pointer(uint32_t address_space, ir::Module& module);

 private:
  struct Hash {
    size_t operator()(const ir::Type* type) const;
  };
  struct Equal {
    bool operator()(const ir::Type* a, const ir::Type* b) const;
  };

  static ir::Type Plain(ir::TypeKind kind, uint32_t number) {
    ir::Type type;
    type.kind = kind;
    type.number = number;
    return type;
  }
  const ir::Type* FindLike(const ir::Type& type) const;
  const ir::Type* Add(const ir::Type& type, ir::Module& module);

  std::vector<const ir::Type*> types_;  // By number.
  // All types but structures with names.
  absl::flat_hash_set<const ir::Type*, Hash, Equal> distinct_;
  const ir::Type* void_ = nullptr;
  const ir::Type* metadata_ = nullptr;
  const ir::Type* pointer_ = nullptr;  // Of address space 0.
  const ir::Type* i1_ = nullptr;
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_TYPE_TABLE_H_

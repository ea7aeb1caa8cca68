// The types of a signature, as libffi describes them.
//
// Thread-compatible. The descriptions live as long as the object. Tested in
// tests/foreign/foreign_call_test.cc.

#ifndef FIRSTCALL_FOREIGN_FFI_TYPES_H_
#define FIRSTCALL_FOREIGN_FFI_TYPES_H_

#include <ffi.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "foreign/foreign_layout.h"
#include "foreign/foreign_value.h"

namespace firstcall {

class FfiTypes {
 public:
  FfiTypes() = default;
  FfiTypes(const FfiTypes&) = delete;
  FfiTypes& operator=(const FfiTypes&) = delete;

  // Integers of at most 64 bits are passed as 64 bits; the callee reads only the bits of its type.
  ffi_type* For(const ForeignType& type) {
    switch (type.kind) {
      case ForeignKind::kVoid:
        return &ffi_type_void;
      case ForeignKind::kFloat:
        return &ffi_type_float;
      case ForeignKind::kDouble:
        return &ffi_type_double;
      case ForeignKind::kPointer:
        return &ffi_type_pointer;
      case ForeignKind::kStruct:
        return Struct(type);
      case ForeignKind::kInt128:
        return Int128();
      default:
        return &ffi_type_uint64;
    }
  }

  // A result in memory of which only the size is known. A result of more than 16 bytes always is in
  // memory.
  ffi_type* Hidden(size_t size) {
    elements_.push_back({&ffi_type_uint64, nullptr});
    return &types_.emplace_back(
        ffi_type{std::max<size_t>(size, 24), 8, FFI_TYPE_STRUCT, elements_.back().data()});
  }

 private:
  // In a struct, each field has its own width.
  ffi_type* Field(const ForeignType& type) {
    switch (BitsOf(type.kind)) {
      case 1:
      case 8:
        return &ffi_type_uint8;
      case 16:
        return &ffi_type_uint16;
      case 32:
        return &ffi_type_uint32;
      default:
        return For(type);
    }
  }

  ffi_type* Struct(const ForeignType& type) {
    std::vector<ffi_type*>& elements = elements_.emplace_back();
    for (const ForeignType& field : type.fields) elements.push_back(Field(field));
    elements.push_back(nullptr);
    return &types_.emplace_back(ffi_type{0, 0, FFI_TYPE_STRUCT, elements.data()});
  }

  // libffi has no such type. The integer is passed like a struct of two eightbytes, with two
  // differences: its alignment in memory, which libffi keeps if the size is filled in, and the
  // register that is left out before it.
  ffi_type* Int128() {
    elements_.push_back({&ffi_type_uint64, &ffi_type_uint64, nullptr});
    return &types_.emplace_back(ffi_type{16, 16, FFI_TYPE_STRUCT, elements_.back().data()});
  }

  // Deques, because their elements never move.
  std::deque<std::vector<ffi_type*>> elements_;
  std::deque<ffi_type> types_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_FOREIGN_FFI_TYPES_H_

// The types that polls need: those of the module, or types of its own for what the module lacks.
//
// Thread-compatible. The types live as long as this object, and as the module.

#ifndef FIRSTCALL_DIRECT_OSR_POLL_TYPES_H_
#define FIRSTCALL_DIRECT_OSR_POLL_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/types/span.h"
#include "ir/module.h"
#include "ir/type.h"

namespace firstcall::direct {

class PollTypes {
 public:
  // `module` must outlive this object. A reader may still add types to the module (but not while a
  // method runs).
  explicit PollTypes(const ir::Module& module) : module_(module) {}
  PollTypes(const PollTypes&) = delete;
  PollTypes& operator=(const PollTypes&) = delete;

  // Looks for types that were added to the module, if some were lacking.
  void Update();

  const ir::Type* nothing() const { return simple_[kVoid]; }
  const ir::Type* bit() const { return simple_[kBit]; }
  const ir::Type* byte() const { return simple_[kByte]; }
  const ir::Type* word() const { return simple_[kWord]; }        // i32.
  const ir::Type* pointer() const { return simple_[kPointer]; }  // Of address space 0.

  // A function with parameters of these types.
  const ir::Type* Function(const ir::Type* result, absl::Span<const ir::Type* const> parameters);
  // An array of `size` bytes. Valid until the next call.
  const ir::Type* Bytes(uint64_t size);

  // The layout in memory of live-ins, a structure: an array of `pointers` addresses, then values of
  // these types. No type is made of it. Valid until the next call.
  struct Layout {
    uint64_t size = 0;
    uint32_t alignment = 1;
    absl::Span<const uint64_t> offsets;  // Of the values.
  };
  Layout LayoutOf(uint32_t pointers, absl::Span<const ir::Type* const> values);

 private:
  enum Simple { kVoid, kBit, kByte, kWord, kPointer, kSimpleCount };

  void Note(const ir::Type& type);
  void AddMissing();
  ir::Type* Add(ir::Type type);
  void SetArray(const ir::Type* const* element, uint64_t count, ir::Type& array);

  const ir::Module& module_;
  size_t seen_ = 0;  // Types of the module that were looked at.
  bool is_complete_ = false;
  const ir::Type* simple_[kSimpleCount] = {};
  bool is_of_module_[kSimpleCount] = {};
  std::deque<ir::Type> own_;
  std::deque<std::vector<const ir::Type*>> lists_;
  std::vector<const ir::Type*> functions_;  // Those of `own_`.
  ir::Type bytes_, pointers_;               // The last arrays.
  std::vector<const ir::Type*> members_;
  std::vector<uint64_t> offsets_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_POLL_TYPES_H_

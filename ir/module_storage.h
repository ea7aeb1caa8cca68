// What types, globals, constants and attributes of a module point to: each lives as long as the
// module, at the address where it was put.
//
// Thread-compatible.

#ifndef FIRSTCALL_IR_MODULE_STORAGE_H_
#define FIRSTCALL_IR_MODULE_STORAGE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/attributes.h"
#include "ir/global.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::ir {

class ModuleStorage {
 public:
  ModuleStorage() = default;
  ModuleStorage(const ModuleStorage&) = delete;
  ModuleStorage& operator=(const ModuleStorage&) = delete;

  AttributeList* AddAttributes() { return &attributes_.emplace_back(); }
  // The traits of some globals, which may be changed until the module is complete.
  GlobalTraits* AddTraits(const GlobalTraits& traits = {}) {
    if (traits_.empty() || traits_.back().size() == kTraitsAtOnce) {
      traits_.emplace_back().reserve(kTraitsAtOnce);
    }
    return &traits_.back().emplace_back(traits);
  }

  absl::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  absl::Span<const Operand> Keep(std::vector<Operand> operands) {
    return operand_lists_.emplace_back(std::move(operands));
  }
  absl::Span<const uint64_t> Keep(std::vector<uint64_t> words) {
    return word_lists_.emplace_back(std::move(words));
  }
  absl::Span<const Type* const> Keep(std::vector<const Type*> types) {
    return type_lists_.emplace_back(std::move(types));
  }
  absl::Span<const StringAttribute> Keep(std::vector<StringAttribute> strings) {
    return string_lists_.emplace_back(std::move(strings));
  }

 private:
  static constexpr size_t kTraitsAtOnce = 8;

  std::vector<std::vector<GlobalTraits>> traits_;  // None of the lists grows beyond its room.
  std::deque<AttributeList> attributes_;
  std::deque<std::string> texts_;
  std::deque<std::vector<Operand>> operand_lists_;
  std::deque<std::vector<uint64_t>> word_lists_;
  std::deque<std::vector<const Type*>> type_lists_;
  std::deque<std::vector<StringAttribute>> string_lists_;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_MODULE_STORAGE_H_

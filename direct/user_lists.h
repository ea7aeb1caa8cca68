// The instructions that use each value of a function. ir::Value names only the first and the last
// one, which is mostly enough; the lists are made when they are first asked for.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_DIRECT_USER_LISTS_H_
#define FIRSTCALL_DIRECT_USER_LISTS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/function.h"

namespace firstcall::direct {

class UserLists {
 public:
  // Forgets the former function. `function` must not change while the lists are used.
  void Begin(const ir::Function& function) {
    function_ = &function;
    is_made_ = false;
  }

  // The numbers of the instructions that use `value`, each once for each operand, in their order.
  absl::Span<const uint32_t> UsersOf(uint32_t value) {
    if (!is_made_) Make();
    return {users_.data() + first_[value], first_[value + 1] - first_[value]};
  }

 private:
  void Make();

  const ir::Function* function_ = nullptr;
  bool is_made_ = false;
  std::vector<uint32_t> first_;  // By value, and the end of the last list.
  std::vector<uint32_t> users_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_USER_LISTS_H_

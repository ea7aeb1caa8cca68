#include "direct/user_lists.h"

#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::direct {

void UserLists::Make() {
  is_made_ = true;
  first_.resize(function_->values.size() + 1);
  uint32_t end = 0;
  for (size_t value = 0; value < function_->values.size(); ++value) {
    first_[value] = end += function_->values[value].uses;
  }
  first_.back() = end;
  users_.resize(end);
  // Each list is filled from its end, which moves its number in `first_` to its beginning.
  for (uint32_t user = static_cast<uint32_t>(function_->instructions.size()); user-- > 0;) {
    const absl::Span<const ir::Operand> operands =
        function_->OperandsOf(function_->instructions[user]);
    for (ir::Operand operand : operands) {
      if (operand.IsValue()) users_[--first_[operand.number()]] = user;
    }
  }
}

}  // namespace firstcall::direct

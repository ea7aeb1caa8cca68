// Finds out whether two copies of a constant could be told apart, as splitter/address_escape.h
// does. A constant may be copied into a function-module only if the functions in the module merely
// read the constant.
//
// Thread-compatible. Reuse the finder, because it keeps its memory from function to function.
// Tested in tests/direct/shared_constants_test.cc.

#ifndef FIRSTCALL_DIRECT_SHARED_CONSTANTS_H_
#define FIRSTCALL_DIRECT_SHARED_CONSTANTS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "direct/user_lists.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/module.h"
#include "ir/operand.h"

namespace firstcall::direct {

// Numbers of variables.
using Variables = absl::flat_hash_set<uint32_t>;

class SharedConstants {
 public:
  // Adds to `escaping` the variables that `is_asked_for` and whose address `function` may return,
  // store, compare, or pass to code that may do so. Loads, copies of the contents, and calls of
  // library functions that do not keep their arguments do not count. Takes time proportional to
  // the body. Operands of bundles are not looked at, because a body does not have them.
  //
  // `function` must be as it was read from the source module. In doubt, a variable is added: it
  // differs from AddressEscape only for calls that read memory and return nothing.
  using IsAskedFor = absl::FunctionRef<bool(uint32_t variable)>;
  void Find(const ir::Function& function, IsAskedFor is_asked_for, Variables& escaping);

  // Adds the variables that the initializer `constant` names.
  void FindIn(const ir::Constants& constants, ir::Operand constant, IsAskedFor is_asked_for,
              Variables& escaping);

 private:
  void FindAt(const ir::Instruction& instruction, uint32_t operand, IsAskedFor is_asked_for,
              Variables& escaping);
  bool MayEscapeFrom(const ir::Instruction& instruction, uint32_t operand);
  bool ForgetsArgument(const ir::Instruction& call, uint32_t argument) const;
  // Whether the address, the result of `instruction`, may get out of the function.
  bool MayBeCaptured(const ir::Instruction& instruction);
  enum class Use : uint8_t { kHarmless, kPassedOn, kCaptured };
  Use UseBy(const ir::Instruction& user, uint32_t operand) const;
  Use UseByCall(const ir::Instruction& call, uint32_t operand) const;
  bool IsComparedWithNull(const ir::Instruction& comparison, uint32_t operand) const;

  const ir::Function* function_ = nullptr;
  UserLists users_;
  std::vector<uint32_t> pending_values_;
  absl::flat_hash_set<uint32_t> seen_values_;
  std::vector<ir::Operand> pending_constants_;
  absl::flat_hash_set<uint32_t> seen_constants_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_SHARED_CONSTANTS_H_

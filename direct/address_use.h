// Finds out how a function uses the addresses of variables: what ir/from_llvm finds in the
// function's own module (ir::Module::OnlyUserOf).
//
// Thread-compatible. Tested in tests/direct/address_use_test.cc.

#ifndef FIRSTCALL_DIRECT_ADDRESS_USE_H_
#define FIRSTCALL_DIRECT_ADDRESS_USE_H_

#include <cstdint>
#include <vector>

#include "ir/function.h"
#include "ir/operand.h"

namespace firstcall::direct {

class AddressUse {
 public:
  // `body`, as it was read from its source module, must outlive this object, and not change.
  // `initializers`, which are constants: those of the variables that the function's own module
  // defines.
  AddressUse(const ir::Function& body, std::vector<ir::Operand> initializers);

  enum class Kind : uint8_t {
    kNone,
    kByInstructions,  // Directly, or in constant expressions.
    kByData           // As a part of other constants of the function, or in an initializer.
  };
  // How the address of the variable number `variable` is used. Takes time in proportion to the
  // constants that the body refers to.
  Kind Of(uint32_t variable);

 private:
  // Whether `constants` lead to the address: by expressions only, or, with `through_data`, in any
  // way. Without, notes the parts of other constants in `data_`.
  bool LeadTo(uint32_t variable, const std::vector<ir::Operand>& constants, bool through_data);

  const ir::Function& body_;
  const std::vector<ir::Operand> initializers_;
  std::vector<ir::Operand> roots_;  // The constants that are operands of instructions, each once.
  std::vector<ir::Operand> data_;   // The parts of constants that are no expressions.
  std::vector<bool> seen_;          // By constant.
  std::vector<ir::Operand> pending_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_ADDRESS_USE_H_

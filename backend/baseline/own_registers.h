// The dedicated registers of parameters and arguments: that of the address of the result (sret),
// and those of Swift's attributes.
//
// Thread-safe: pure functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_OWN_REGISTERS_H_
#define FIRSTCALL_BACKEND_BASELINE_OWN_REGISTERS_H_

#include <cstdint>

#include "backend/baseline/architecture.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

// The dedicated register of a parameter: that of the address of the result (sret), or of one of
// Swift's attributes. kNoRegister if the parameter has an ordinary place (ArgumentPlaces).
Register OwnRegisterOf(const ir::Function& function, uint32_t parameter,
                       const Architecture& architecture);

// The same for the arguments of a call. What all arguments have in common is found out once.
class OwnRegisters {
 public:
  // The arguments must outlive the object. `of_swift` has at least the registers of
  // SwiftRegistersOf(call): attributes of others are not looked for.
  OwnRegisters(const ir::Function& function, const ir::Instruction& call,
               const Architecture& architecture, RegisterSet of_swift);

  Register Of(unsigned index) const { return has_any_ ? Find(index) : kNoRegister; }

  // Whether the register of swifterror is one of them.
  bool has_error() const { return has_error_; }

 private:
  Register Find(unsigned index) const;

  const ir::Function& function_;
  const ir::Instruction& call_;
  const Architecture& architecture_;
  Register result_address_ = kNoRegister;
  bool has_error_ = false;
  bool has_self_ = false;
  bool has_any_ = false;
};

// The registers that the caller changes because of Swift's attributes of the call's arguments.
RegisterSet SwiftRegistersOf(const ir::Function& function, const ir::Instruction& call,
                             const Architecture& architecture);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_OWN_REGISTERS_H_

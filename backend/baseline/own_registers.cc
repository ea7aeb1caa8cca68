#include "backend/baseline/own_registers.h"

#include "backend/baseline/call_attributes.h"

namespace firstcall::baseline {
namespace {

using ir::Attribute;

}  // namespace

Register OwnRegisterOf(const ir::Function& function, uint32_t parameter,
                       const Architecture& architecture) {
  const ir::AttributeSet& attributes = function.attributes().OfParameter(parameter);
  if (attributes.Has(Attribute::kSwiftError)) return architecture.swift.error;
  if (attributes.Has(Attribute::kSwiftSelf)) return architecture.swift.self;
  if (!attributes.Has(Attribute::kStructRet)) return kNoRegister;
  return architecture.ConventionOf(function.global().convention()).result_address;
}

OwnRegisters::OwnRegisters(const ir::Function& function, const ir::Instruction& call,
                           const Architecture& architecture, RegisterSet of_swift)
    : function_(function), call_(call), architecture_(architecture) {
  if (of_swift != 0) {
    has_error_ = HasSomewhere(function, call, Attribute::kSwiftError);
    has_self_ = HasSomewhere(function, call, Attribute::kSwiftSelf);
  }
  result_address_ = architecture.ConventionOf(function.CallOf(call).convention).result_address;
  has_any_ = has_error_ || has_self_ || result_address_ != kNoRegister;
}

Register OwnRegisters::Find(unsigned index) const {
  if (has_error_ && ArgumentHas(function_, call_, index, Attribute::kSwiftError)) {
    return architecture_.swift.error;
  }
  if (has_self_ && ArgumentHas(function_, call_, index, Attribute::kSwiftSelf)) {
    return architecture_.swift.self;
  }
  // Only one of the first two arguments may be the address of the result.
  const bool is_result_address = result_address_ != kNoRegister && index < 2 &&
                                 ArgumentHas(function_, call_, index, Attribute::kStructRet);
  return is_result_address ? result_address_ : kNoRegister;
}

RegisterSet SwiftRegistersOf(const ir::Function& function, const ir::Instruction& call,
                             const Architecture& architecture) {
  RegisterSet registers = 0;
  if (HasSomewhere(function, call, Attribute::kSwiftSelf)) {
    registers |= SetOf(architecture.swift.self);
  }
  if (HasSomewhere(function, call, Attribute::kSwiftError)) {
    registers |= SetOf(architecture.swift.error);
  }
  return registers;
}

}  // namespace firstcall::baseline

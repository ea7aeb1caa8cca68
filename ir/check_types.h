// Checks the types of a module.
//
// Thread-safe: a pure function. For ir/check_module.

#ifndef FIRSTCALL_IR_CHECK_TYPES_H_
#define FIRSTCALL_IR_CHECK_TYPES_H_

#include <cstdint>

#include "ir/fault.h"
#include "ir/module.h"

namespace firstcall::ir {

// `number`: is set to the number of the type that the fault is about.
Fault CheckTypes(const Module& module, uint32_t& number);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CHECK_TYPES_H_

// What constants that are addresses lead to: a global, and the distance from it.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_DIRECT_CONSTANT_ADDRESS_H_
#define FIRSTCALL_DIRECT_CONSTANT_ADDRESS_H_

#include <cstdint>
#include <optional>

#include "ir/module.h"
#include "ir/operand.h"

namespace firstcall::direct {

// `offset` bytes behind the global number `global`.
struct ConstantAddress {
  uint32_t global = ir::kNone;
  int64_t offset = 0;
};

// What the constant `address` of `module` stands for. Goes through aliases, so `global` is none.
// Nothing if `address` is anything but a global plus a constant offset, and if only LLVM knows:
// offsets in another address space than 0, casts between address spaces.
std::optional<ConstantAddress> AddressOf(const ir::Module& module, ir::Operand address);

// The global that `address` is, without casts between pointers, and without getelementptrs that
// have only zero indices; kNone if it is something else.
uint32_t GlobalWithoutCasts(const ir::Module& module, ir::Operand address);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_CONSTANT_ADDRESS_H_

// What a function does with the address of one of its variables.
//
// The answers are those that llvm::isAllocaPromotable and llvm::PointerMayBeCaptured give for the
// same function, as splitter/osr/variable_liveness asks them. Some of the attributes on which
// LLVM's answers depend are not in ir/, so some answers are unknown.
//
// Thread-safe: pure functions, but for the lists, which they may make.

#ifndef FIRSTCALL_DIRECT_OSR_ADDRESS_USES_H_
#define FIRSTCALL_DIRECT_OSR_ADDRESS_USES_H_

#include <cstdint>

#include "direct/osr/user_lists.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::direct {

// The lifetime marker's variable begins to live, or ends.
bool BeginsLifetime(const ir::Function& function, const ir::Instruction& instruction);
bool IsLifetimeMark(const ir::Function& function, const ir::Instruction& instruction);
// What the lifetime marker `mark` marks: the last argument. (Before LLVM 22 a size precedes it.)
ir::Operand MarkedObject(const ir::Function& function, const ir::Instruction& mark);

// Whether the instruction is an alloca of the function's frame, whose size is a constant.
bool IsStaticAlloca(const ir::Function& function, const ir::Instruction& instruction);

// Whether operand number `operand` of `user` is a use of the alloca `variable` by which only the
// variable's value is loaded or stored, or its lifetime is marked. No lifetime marker has another
// operand than an alloca.
bool IsAccess(const ir::Function& function, const ir::Instruction& variable,
              const ir::Instruction& user, uint32_t operand);

// Whether all uses of the alloca `variable` are such.
bool IsOnlyAccessed(const ir::Function& function, const ir::Instruction& variable,
                    UserLists& users);

enum class Stored : uint8_t {
  kNo,
  kYes,
  // Depends on which memory a called function accesses (ir/ does not keep more than that it has the
  // attribute `memory`), or on what an intrinsic does.
  kUnknown
};

// Whether memory may hold the address of the alloca `variable`, except in functions to which the
// address was passed. If so, the address may be in memory longer than the variable's lifetime.
Stored IsAddressStored(const ir::Function& function, const ir::Instruction& variable,
                       UserLists& users);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_ADDRESS_USES_H_

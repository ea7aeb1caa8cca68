// What a function does with the address of one of its variables.
//
// Thread-safe: pure functions, but for the lists, which they may make. Tested in
// tests/direct/labels_test.cc.

#ifndef FIRSTCALL_DIRECT_ADDRESS_USES_H_
#define FIRSTCALL_DIRECT_ADDRESS_USES_H_

#include "direct/user_lists.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::direct {

// Whether all uses of the alloca `variable` only load or store the variable's whole value, or mark
// its lifetime. The answer is that of llvm::isAllocaPromotable for the same function, in which no
// lifetime marker has another operand than an alloca.
bool IsOnlyAccessed(const ir::Function& function, const ir::Instruction& variable,
                    UserLists& users);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_ADDRESS_USES_H_

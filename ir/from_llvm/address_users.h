// Which functions use the addresses of blocks and of variables.
//
// A part of LlvmReader. Thread-safe: pure functions, as long as the module does not change.

#ifndef FIRSTCALL_IR_FROM_LLVM_ADDRESS_USERS_H_
#define FIRSTCALL_IR_FROM_LLVM_ADDRESS_USERS_H_

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace firstcall::ir {

// Whether instructions of other functions use the address of a block of `function`, perhaps as a
// part of other constants.
bool HasSharedBlocks(const llvm::Function& function);

// The functions whose instructions use the address of a variable.
struct AddressUsers {
  const llvm::Function* one = nullptr;  // One of them; null if there is none.
  bool has_others = false;              // There are several functions, or data use the address.
};

// Instructions may use the address by way of constant expressions. All other constants are data.
AddressUsers UsersOf(const llvm::GlobalVariable& variable);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_FROM_LLVM_ADDRESS_USERS_H_

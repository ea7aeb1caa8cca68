// Calls compiled code with LLVM's generic values.
//
// Thread-safe.

#ifndef FIRSTCALL_CLIENTS_MCJIT_CALL_ADDRESS_H_
#define FIRSTCALL_CLIENTS_MCJIT_CALL_ADDRESS_H_

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class FunctionType;
struct GenericValue;
}  // namespace llvm

namespace firstcall {

// Calls the function at `address`. MCJIT's fatal error if `type` is none of the types that MCJIT
// supports: those of main, i32 or void from one i32, and those without arguments.
llvm::GenericValue CallAddress(void* address, const llvm::FunctionType& type,
                               llvm::ArrayRef<llvm::GenericValue> arguments);

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_CALL_ADDRESS_H_

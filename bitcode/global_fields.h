// The fields of bitcode's records of globals that are enumerations.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_BITCODE_GLOBAL_FIELDS_H_
#define FIRSTCALL_BITCODE_GLOBAL_FIELDS_H_

#include <cstdint>

#include "ir/global.h"

namespace firstcall::bitcode {

// False for a number that only producers before LLVM 15 wrote, or that none has written yet.
bool DecodeLinkage(uint64_t number, ir::Linkage& linkage);

// Unknown numbers mean the default, as in LLVM.
ir::Visibility VisibilityOf(uint64_t number);
ir::UnnamedAddress UnnamedAddressOf(uint64_t number);
// Unknown numbers mean the general mode, as in LLVM.
ir::ThreadLocalMode ThreadLocalModeOf(uint64_t number);
// Unknown numbers mean "any", as in LLVM. The result is a number of bitcode, too.
uint8_t ComdatSelectionOf(uint64_t number);

// Whether LLVM takes the global as one of this dynamic library, whatever the record says.
bool IsImplicitlyDsoLocal(const ir::GlobalTraits& global);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_GLOBAL_FIELDS_H_

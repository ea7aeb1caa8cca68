// Variables that are too large, or too many, to lie within reach of all code.
//
// x86-64's PC-relative distances have 32 bits, so code, stubs and most variables share an arena.
// Large variables lie elsewhere, as those of the medium code model do, and in the sections which
// that model has: code finds their addresses in its offset table. What counts as large is
// decided for each source module (seam/near_variables, SymbolIndex::largest_near_variable).
//
// Thread-compatible: hold the mutex of the view whose context the module is in. Tested in
// tests/splitter/large_variables_test.cc.

#ifndef FIRSTCALL_SPLITTER_LARGE_VARIABLES_H_
#define FIRSTCALL_SPLITTER_LARGE_VARIABLES_H_

#include <cstdint>

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace firstcall {

// Whether the source itself says that a variable may be out of reach of code: by the section or the
// code model that it gives to the variable.
bool IsDeclaredLarge(const llvm::GlobalVariable& variable);

// Puts a definition into a section of large variables, unless it has a section, and makes all code
// of its module reach it through the offset table. A constant of nothing but zeros becomes a
// writable variable, so that no object has these zeros. Does nothing for thread-local variables,
// which are emulated, and in modules whose objects are Mach-O, which has no such sections.
void PlaceApart(llvm::GlobalVariable& variable);

// Calls PlaceApart for all definitions of more than `largest_near` bytes.
void PlaceLargeVariablesApart(llvm::Module& module, uint64_t largest_near);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_LARGE_VARIABLES_H_

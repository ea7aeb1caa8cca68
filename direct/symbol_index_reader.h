// Makes the index of a source module's symbols without LLVM, from what bitcode's reader has made of
// the module.
//
// The index is the one that BuildSymbolIndex (splitter/symbol_index_builder.h) makes of a view of
// the same bitcode, byte for byte, so that it does not matter which half of the compiler compiles a
// function.
//
// Thread-safe: a pure function. Tested in tests/direct/symbol_index_reader_test.cc.

#ifndef FIRSTCALL_DIRECT_SYMBOL_INDEX_READER_H_
#define FIRSTCALL_DIRECT_SYMBOL_INDEX_READER_H_

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "seam/symbol_index.h"

namespace firstcall::direct {

// Takes time proportional to the number of globals, and of the constants in data. `module` must
// have passed ir::CheckModule. Functions whose labels are in data must not share labels with other
// functions (CheckOwnersOfLabels), and no function may have entries in a table that the module
// names (CheckCodeTables).
//
// Unimplemented, with its name, for what BuildSymbolIndex refuses, too, and for what only LLVM
// knows or what needs the bodies of functions: assembly of the module, labels in data of a section
// or of a function, frames that are shared (llvm.localrecover), OCaml's collector, names that
// depend on the calling convention, intrinsics of older versions of LLVM.
absl::StatusOr<SymbolIndex> ReadSymbolIndex(const ir::Module& module);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_SYMBOL_INDEX_READER_H_

// Addresses of functions with prefix data.
//
// Code that has the address of such a function finds data in front of it. A stub has no such data,
// so the function's address is that of a thunk in the data-module: the prefix data, and a jump to
// where calls go.
//
// Thread-compatible: hold the mutex of the view `original` belongs to. Tested in
// tests/programs/ir/prefix_and_prologue.ll.

#ifndef FIRSTCALL_SPLITTER_PREFIX_THUNK_H_
#define FIRSTCALL_SPLITTER_PREFIX_THUNK_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace firstcall {

// Adds to `target`, a module with a triple, the thunk of `original`, whose Symbol::name is `name`.
// The caller adds the prefix data. Unimplemented, with the name, for architectures other than
// x86-64 and AArch64.
absl::StatusOr<llvm::Function*> AddPrefixThunk(const llvm::Function& original,
                                               absl::string_view name, llvm::Module& target);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_PREFIX_THUNK_H_

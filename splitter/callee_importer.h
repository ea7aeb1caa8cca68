// Chooses the callees whose bodies are copied into a function-module, for the optimizer to inline,
// and copies bodies.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_CALLEE_IMPORTER_H_
#define FIRSTCALL_SPLITTER_CALLEE_IMPORTER_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

// Asked for a callee that would be imported; reads its body if it is one that may be.
using MayBeImported = absl::FunctionRef<bool(llvm::Function&)>;

// What `roots`, whose bodies are in memory, call directly, what that calls, and so on, nearest
// first and each once: small bodies, up to a limit for all together, and those that must always be
// inlined. None of the roots, and nothing that must not be inlined.
std::vector<llvm::Function*> ChooseImports(absl::Span<llvm::Function* const> roots,
                                           MayBeImported may_be_imported);

// Whether CloneInView can copy `function`: not if somebody has the address of one of its blocks,
// which belongs to the original.
bool CanBeCloned(const llvm::Function& function);

// A copy of `function`, body included, in the same module, without a name. What it says of itself
// (a recursive call) still names the original.
llvm::Function* CloneInView(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_CALLEE_IMPORTER_H_

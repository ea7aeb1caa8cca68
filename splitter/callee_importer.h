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
class Module;
}  // namespace llvm

namespace firstcall {

// Asked for a callee that would be imported; reads its body if it is one that may be.
using MayBeImported = absl::FunctionRef<bool(llvm::Function&)>;

// Whether `noinline` is no word of the programmer's in `module`: clang -O0 gives it to every
// function, and so does a module all of whose definitions have it, but for those that must always
// be inlined. Takes time in proportion to the number of functions.
bool HasMeaninglessNoInline(const llvm::Module& module);

// What `roots`, whose bodies are in memory, call directly, what that calls, and so on, nearest
// first and each once: small bodies, up to a limit for all together, and those that must always be
// inlined. None of the roots, and nothing that must not be inlined; `noinline` of a function is
// passed over if `ignores_noinline`.
std::vector<llvm::Function*> ChooseImports(absl::Span<llvm::Function* const> roots,
                                           bool ignores_noinline, MayBeImported may_be_imported);

// Takes `noinline` from `function`, unless it asks for its own frame.
void AllowInlining(llvm::Function& function);

// Whether CloneInView can copy `function`: not if somebody has the address of one of its blocks,
// which belongs to the original.
bool CanBeCloned(const llvm::Function& function);

// A copy of `function`, body included, in the same module, without a name. What it says of itself
// (a recursive call) still names the original.
llvm::Function* CloneInView(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_CALLEE_IMPORTER_H_

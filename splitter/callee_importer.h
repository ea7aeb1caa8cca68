// Chooses the callees whose bodies are copied into a function-module so that the optimizer can
// inline them, and copies the bodies.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_CALLEE_IMPORTER_H_
#define FIRSTCALL_SPLITTER_CALLEE_IMPORTER_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "llvm/IR/Function.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

// Whether `module` was made by clang -O0, which gives every function `noinline` and a frame pointer
// that the programmer has not asked for. Assumes so if every definition either has `noinline` or
// must always be inlined. Takes time proportional to the number of functions.
bool IsUnoptimized(const llvm::Module& module);

// Removes from `function`, which belongs to such a module, what -O0 has added. Changes nothing if
// the function asks for its own frame.
void ForgetThatItIsUnoptimized(llvm::Function& function);

// Limits, in instructions, for what is imported into a function-module; measured in docs/adr/0017.
// The limit is higher for hot functions.
inline constexpr size_t kMaxImported = 500;
inline constexpr size_t kMaxImportedIfHot = 3000;

struct ImportDecisions {
  // Whether a callee that the chooser would import may be imported; if so, its body is read.
  absl::FunctionRef<bool(llvm::Function&)> may_be_imported;
  // Whether a callee has been called often enough for the higher size limits.
  absl::FunctionRef<bool(llvm::Function&)> is_warm;
  // Simplifies a body in place, without inlining anything. Called once for each body.
  absl::FunctionRef<void(llvm::Function&)> simplify;
  // The functions that a caller's indirect calls are likely to call, and should be guarded for.
  absl::FunctionRef<std::vector<llvm::Function*>(const llvm::Function&)> likely_targets;
};

struct Import {
  llvm::Function* function;
  // The import is compiled into the function-module unless it is inlined, because it calls the
  // functions that are passed to it: the optimizer specializes it for those.
  bool is_private;
};

struct Imports {
  // The targets of direct and guarded calls, nearest first.
  std::vector<Import> callees;
  // Functions whose addresses are passed to private imports, for calls of these addresses.
  std::vector<llvm::Function*> pointees;
};

// Chooses functions that `roots` call directly or in guarded calls, that those call, and so on,
// each once: bodies that must always be inlined, and small bodies, which together have at most
// `max_instructions`. Callees that are not warm are imported only if they are very small, and have
// at most kMaxImported instructions together. Excludes the roots and what must not be inlined; and
// what is too large to be inlined once its own callees are inlined into it, unless it is private.
// The bodies of `roots` are in memory; `is_unoptimized` is the result of IsUnoptimized.
Imports ChooseImports(absl::Span<llvm::Function* const> roots, bool is_unoptimized,
                      size_t max_instructions, const ImportDecisions& decisions);

// Whether `function` has been simplified in the view in order to be imported.
bool IsSimplified(const llvm::Function& function);

// Makes IsSimplified true of `function`.
void MarkSimplified(llvm::Function& function);

// Whether CloneInView can copy `function`. It cannot if the address of one of its blocks is taken,
// because that address belongs to the original.
bool CanBeCloned(const llvm::Function& function);

// Copies `function`, with its body, in the same module, without a name. References of the body to
// `function` (a recursive call) still refer to the original.
llvm::Function* CloneInView(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_CALLEE_IMPORTER_H_

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
#include "splitter/body_sizes.h"

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
  // Whether a callee that must be inlined may be imported; if so, its body is read.
  absl::FunctionRef<bool(llvm::Function&)> may_be_imported;
  // The simplified body of another callee, if it may be imported and is within the limits; else
  // null.
  absl::FunctionRef<llvm::Function*(llvm::Function&, const BodyLimits&)> small_body;
  // Whether a callee has been called often enough for the higher size limits.
  absl::FunctionRef<bool(llvm::Function&)> is_warm;
  // The functions that a caller's indirect calls are likely to call, and should be guarded for.
  absl::FunctionRef<std::vector<llvm::Function*>(const llvm::Function&)> likely_targets;
};

struct Import {
  llvm::Function* function;
  // What is copied: the function's simplified body, or the function itself.
  llvm::Function* body;
  // The import is compiled into the function-module unless it is inlined, because it calls the
  // functions that are passed to it: the optimizer specializes it for those.
  bool is_private;
};

struct Imports {
  // The targets of direct and guarded calls, nearest first.
  std::vector<Import> callees;
  // Functions whose addresses are passed to private imports, for calls of these addresses. None is
  // private.
  std::vector<Import> pointees;
};

// A function for whose body imports are chosen. The body is that of the function, or its simplified
// body.
struct ImportRoot {
  llvm::Function* function;
  llvm::Function* body;
};

// Chooses functions that `roots` call directly or in guarded calls, that those call, and so on,
// each once: bodies that must always be inlined, and small bodies, which together have at most
// `max_instructions`. Callees that are not warm are imported only if they are very small, and have
// at most kMaxImported instructions together. Excludes the roots and what must not be inlined; and
// what is too large to be inlined once its own callees are inlined into it, unless it is private.
// The bodies are in memory; `is_unoptimized` is the result of IsUnoptimized.
Imports ChooseImports(absl::Span<const ImportRoot> roots, bool is_unoptimized,
                      size_t max_instructions, const ImportDecisions& decisions);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_CALLEE_IMPORTER_H_

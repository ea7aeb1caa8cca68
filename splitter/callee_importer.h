// Chooses the callees whose bodies are copied into a function-module, for the optimizer to inline,
// and copies bodies.
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

// Whether clang -O0 made `module`: it gives every function `noinline` and a frame pointer, which is
// no word of the programmer's. Takes it for so if all definitions have `noinline` but for those
// that must always be inlined. Takes time in proportion to the number of functions.
bool IsUnoptimized(const llvm::Module& module);

// Takes from `function`, of such a module, what it was given by -O0; not from one that asks for its
// own frame.
void ForgetThatItIsUnoptimized(llvm::Function& function);

// Bound what a function-module costs beyond its own function, in instructions; measured in
// docs/adr/0017. What is hot is worth more.
inline constexpr size_t kMaxImported = 500;
inline constexpr size_t kMaxImportedIfHot = 3000;

struct ImportDecisions {
  // Asked for a callee that would be imported; reads its body if it is one that may be.
  absl::FunctionRef<bool(llvm::Function&)> may_be_imported;
  // Asked for a callee whether it has been called often enough to be worth more than little.
  absl::FunctionRef<bool(llvm::Function&)> is_warm;
  // Makes a body smaller, in its place, without inlining anything. Called once for a body.
  absl::FunctionRef<void(llvm::Function&)> simplify;
};

struct Import {
  llvm::Function* function;
  // To be compiled into the function-module unless it is inlined, because it calls the functions
  // that are passed to it: the optimizer makes it one for those.
  bool is_private;
};

struct Imports {
  // For direct calls, nearest first.
  std::vector<Import> callees;
  // For calls of the addresses that are passed to what is private.
  std::vector<llvm::Function*> pointees;
};

// What `roots`, whose bodies are in memory, call directly, what that calls, and so on, each once:
// small bodies, of `max_instructions` all together, very small ones of no more than kMaxImported if
// they are not warm, and those that must always be inlined. None of
// the roots, and nothing that must not be inlined. `is_unoptimized`: what IsUnoptimized says.
Imports ChooseImports(absl::Span<llvm::Function* const> roots, bool is_unoptimized,
                      size_t max_instructions, const ImportDecisions& decisions);

// Whether `function` has been simplified in the view to be imported: it is not as it was.
bool IsSimplified(const llvm::Function& function);

// Makes IsSimplified true of `function`.
void MarkSimplified(llvm::Function& function);

// Whether CloneInView can copy `function`: not if somebody has the address of one of its blocks,
// which belongs to the original.
bool CanBeCloned(const llvm::Function& function);

// A copy of `function`, body included, in the same module, without a name. What it says of itself
// (a recursive call) still names the original.
llvm::Function* CloneInView(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_CALLEE_IMPORTER_H_

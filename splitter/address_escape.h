// Finds out whether two copies of a constant could be told apart. C and C++ promise little about
// the address of a string literal, but a pointer to a literal must equal itself wherever it is
// passed to. So a constant may be copied into a function-module only if the functions in it merely
// read the constant.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_ADDRESS_ESCAPE_H_
#define FIRSTCALL_SPLITTER_ADDRESS_ESCAPE_H_

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"

namespace firstcall {

using Variables = llvm::SmallPtrSet<const llvm::GlobalVariable*, 16>;

// For one source module's view. Remembers what it has found out about library functions.
class AddressEscape {
 public:
  // Adds to `escaping` the variables that `is_asked_for` and whose address `function` may return,
  // store, compare, or pass to code that may do so. The function's body must be in memory. Loads,
  // copies of the contents, and calls of library functions that do not capture their arguments do
  // not count. Takes time proportional to the body.
  using IsAskedFor = absl::FunctionRef<bool(const llvm::GlobalVariable&)>;
  void Find(const llvm::Function& function, IsAskedFor is_asked_for, Variables& escaping);

  // Adds the variables that `constant`, a variable's initializer, names.
  static void FindIn(const llvm::Constant& constant, IsAskedFor is_asked_for, Variables& escaping);

 private:
  bool MayEscapeFrom(const llvm::Instruction& instruction, unsigned operand);
  bool ForgetsArgument(const llvm::CallBase& call, unsigned argument);

  // For declared library functions: the parameters that they do not capture.
  absl::flat_hash_map<const llvm::Function*, llvm::BitVector> forgotten_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_ADDRESS_ESCAPE_H_

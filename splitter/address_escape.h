// Finds out whether anybody could tell two copies of a constant apart. C and C++ promise little
// about the address of a string literal, but a pointer to one equals itself wherever it is passed
// to. So a constant may be copied into a function-module only if the functions there merely read
// it.
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

// Of one source module's view: remembers what it has found out about library functions.
class AddressEscape {
 public:
  // Adds to `escaping` those variables that `is_asked_for` whose address `function`, whose body
  // must be in memory, may return, store, compare, or pass to somebody who may do that. Loads,
  // copies of the contents and calls of library functions that forget their arguments do not count.
  // Takes time in proportion to the body.
  using IsAskedFor = absl::FunctionRef<bool(const llvm::GlobalVariable&)>;
  void Find(const llvm::Function& function, IsAskedFor is_asked_for, Variables& escaping);

  // Adds those that `constant`, a variable's initializer, names.
  static void FindIn(const llvm::Constant& constant, IsAskedFor is_asked_for, Variables& escaping);

 private:
  bool MayEscapeFrom(const llvm::Instruction& instruction, unsigned operand);
  bool ForgetsArgument(const llvm::CallBase& call, unsigned argument);

  // Of declared library functions, the parameters that they forget.
  absl::flat_hash_map<const llvm::Function*, llvm::BitVector> forgotten_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_ADDRESS_ESCAPE_H_

#include "backend/llvm/llvm_code.h"

#include "llvm/Support/raw_ostream.h"

namespace firstcall {

// Not the address of a function: in a program without position independence that may be an entry of
// the program's own procedure linkage table.
const void* SomewhereInLlvm() {
  const llvm::raw_ostream& object = llvm::nulls();
  return **reinterpret_cast<const void* const* const*>(&object);
}

}  // namespace firstcall

// The name of a definition in the runtime half.
//
// A plain value. Whoever uses a key must be in a WorkScope, which keeps the module from being
// removed.

#ifndef FIRSTCALL_RUNTIME_LINK_FUNCTION_KEY_H_
#define FIRSTCALL_RUNTIME_LINK_FUNCTION_KEY_H_

#include <utility>

#include "base/ids.h"
#include "runtime/link/source_module.h"

namespace firstcall {

// Names a definition of the engine: a function, an ifunc, or a variable that is compiled together
// with its function.
struct FunctionKey {
  SourceModule* module = nullptr;
  SymbolOrdinal ordinal;

  friend bool operator==(FunctionKey a, FunctionKey b) {
    return a.module == b.module && a.ordinal == b.ordinal;
  }
  template <typename H>
  friend H AbslHashValue(H h, FunctionKey key) {
    return H::combine(std::move(h), key.module, key.ordinal);
  }
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_FUNCTION_KEY_H_

// Checks that an object refers to nothing that neither its source module nor the code generator can
// mean. A name that an optimization made up would be looked up among everybody's symbols, and might
// be found.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_ENGINE_OBJECT_NAMES_H_
#define FIRSTCALL_ENGINE_OBJECT_NAMES_H_

#include "absl/status/status.h"
#include "engine/object_image.h"
#include "splitter/symbol_index.h"

namespace firstcall {

// Internal, with the names, if `image`, which was generated from the source module of `index` and
// has no inline assembly, needs symbols that are neither in `index` nor functions that LLVM calls
// by itself (see splitter/runtime_names.h).
absl::Status CheckNames(const ObjectImage& image, const SymbolIndex& index);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_OBJECT_NAMES_H_

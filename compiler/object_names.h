// Checks that an object refers only to names that its source module or the code generator knows. A
// name that an optimization invented would be looked up among all symbols, and might be found.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_COMPILER_OBJECT_NAMES_H_
#define FIRSTCALL_COMPILER_OBJECT_NAMES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "object/object_bytes.h"
#include "seam/symbol_index.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

// The functions that attributes of `module`'s functions name, and that the code generator calls:
// those of "probe-stack", which look whether there is stack for a large frame.
std::vector<std::string> NamesInAttributes(const llvm::Module& module);

// `object` was generated from the source module of `index` and has no inline assembly. Internal,
// with the names, if it needs symbols that are neither in `index` nor library functions that LLVM
// calls by itself (see splitter/runtime_names.h), nor in `attributes`.
absl::Status CheckNames(ObjectBytes& object, const SymbolIndex& index,
                        absl::Span<const std::string> attributes);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_OBJECT_NAMES_H_

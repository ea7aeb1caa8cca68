// Makes symbols that assembly defines visible to other objects: for the assembler, what is in one
// file may be local to it, but here a module becomes many objects.
//
// Thread-safe: a pure function. Tested in tests/programs/single/assembly_directives.c.

#ifndef FIRSTCALL_COMPILER_EXPORTED_SYMBOLS_H_
#define FIRSTCALL_COMPILER_EXPORTED_SYMBOLS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "object/object_bytes.h"

namespace firstcall {

// Makes those of `names` global that `object` defines. Returns them. InvalidArgument if the object
// is damaged.
absl::StatusOr<std::vector<std::string>> ExportSymbols(ObjectBytes& object,
                                                       absl::Span<const absl::string_view> names);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_EXPORTED_SYMBOLS_H_

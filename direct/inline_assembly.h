// Finds out whether a source module has inline assembly with a text, which may define labels.
//
// Thread-safe: a pure function. Tested in tests/direct/direct_compiler_test.cc.

#ifndef FIRSTCALL_DIRECT_INLINE_ASSEMBLY_H_
#define FIRSTCALL_DIRECT_INLINE_ASSEMBLY_H_

#include "absl/status/status.h"
#include "direct/source_module.h"

namespace firstcall::direct {

// OK if no body has inline assembly with a text; Unimplemented if one has. Reads the constants of
// all bodies, but no instructions. InvalidArgument if the bitcode is damaged.
absl::Status CheckNoInlineAssembly(const ReadModule& module);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_INLINE_ASSEMBLY_H_

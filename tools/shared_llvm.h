// LLVM for programs that use it themselves. The command is linked with LLVM's static libraries,
// whose names no program can find; lli, which is linked with the shared one, has them for
// everybody.
//
// Thread-safe.

#ifndef FIRSTCALL_TOOLS_SHARED_LLVM_H_
#define FIRSTCALL_TOOLS_SHARED_LLVM_H_

#include "absl/strings/string_view.h"

namespace firstcall {

// The address of `symbol` in LLVM's shared library, which is loaded when a symbol of LLVM's is
// first asked for and nothing in the process has it. Null for a name that is none of LLVM's, if the
// process has it, or if there is no such library.
void* FindInSharedLlvm(absl::string_view symbol);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_SHARED_LLVM_H_

// LLVM for programs that use LLVM themselves. The command is linked with LLVM's static libraries,
// whose symbols a program cannot find. (lli is linked with the shared library, so its programs
// can.)
//
// Thread-safe. Tested in tests/command/command_test.cc.

#ifndef FIRSTCALL_TOOLS_SHARED_LLVM_H_
#define FIRSTCALL_TOOLS_SHARED_LLVM_H_

#include "absl/strings/string_view.h"

namespace firstcall {

// The address of `symbol` in LLVM's shared library, which is loaded when a symbol of LLVM is first
// asked for that the process does not have. Null if `symbol` is not a name of LLVM, if the process
// already has the symbol, or if there is no such library.
void* FindInSharedLlvm(absl::string_view symbol);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_SHARED_LLVM_H_

// Modules in memory as bitcode. A pure function of its argument; thread-safe for modules of
// different contexts. Tested in tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_ENGINE_MODULE_BITCODE_H_
#define FIRSTCALL_ENGINE_MODULE_BITCODE_H_

#include <string>

#include "absl/status/statusor.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

// Verifies `module`, because LLVM writes only valid modules, and returns its bitcode.
// InvalidArgument, with the reason, if it is not valid; Internal if LLVM gives up.
absl::StatusOr<std::string> ToBitcode(const llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_MODULE_BITCODE_H_

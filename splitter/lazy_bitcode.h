// Reads bitcode, whose bodies stay unread until they are asked for.
//
// A file may have several modules: clang divides what it compiles, so that tables of virtual
// functions get to the static linker as IR, and the rest to its ThinLTO (-fsplit-lto-unit). Here
// such modules become one module again: the others are linked into the first one, which has the
// functions. The bodies of the first module stay unread.
//
// Thread-compatible: to be used by the thread that uses the context. Tested in
// tests/splitter/module_source_test.cc.

#ifndef FIRSTCALL_SPLITTER_LAZY_BITCODE_H_
#define FIRSTCALL_SPLITTER_LAZY_BITCODE_H_

#include <memory>

#include "absl/status/statusor.h"

namespace llvm {
class LLVMContext;
class MemoryBufferRef;
class Module;
}  // namespace llvm

namespace firstcall {

// `bitcode` must outlive the module; `context` must collect its diagnostics
// (base/diagnostic_collector.h). InvalidArgument if LLVM cannot read the bitcode, or if its modules
// conflict. On some damaged bitcode, LLVM reports a fatal error (base/fatal_error_guard.h).
absl::StatusOr<std::unique_ptr<llvm::Module>> ReadLazily(llvm::MemoryBufferRef bitcode,
                                                         llvm::LLVMContext& context);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_LAZY_BITCODE_H_

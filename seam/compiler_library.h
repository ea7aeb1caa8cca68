// What the compiler half offers as a shared library (libfirstcall_compiler.so), which a program of
// the runtime half loads when it first needs a compiler.
//
// The library has its own copies of all code that both halves use, and of their global variables.
// So nothing but the values and virtual functions of the seam may pass between them. Both files
// must come from the same build; `seam` shows whether the types are the same.
//
// Plain values; any thread may call the functions. Tested in tests/engine/loaded_compiler_test.cc.

#ifndef FIRSTCALL_SEAM_COMPILER_LIBRARY_H_
#define FIRSTCALL_SEAM_COMPILER_LIBRARY_H_

#include <memory>
#include <string>

#include "absl/base/config.h"
#include "absl/status/statusor.h"
#include "seam/compiler.h"
#include "seam/compiler_settings.h"
#include "seam/listener.h"

namespace llvm {
class TargetOptions;
}  // namespace llvm

namespace firstcall {

struct CompilerLibrary {
  // Of what follows. Increase it when `seam` moves.
  static constexpr int kVersion = 2;

  int version = kVersion;
  // kSeamDigest (seam/seam_digest.h) of the library's build, and Abseil's release. A program of
  // another one must use nothing else of this.
  const char* seam;
  int absl_release = ABSL_LTS_RELEASE_VERSION;
  // InProcessCompiler::Create.
  absl::StatusOr<std::unique_ptr<Compiler>> (*create)(const CompilerSettings& settings,
                                                      Listener& listener);
  // DescribeTargetOptions.
  std::string (*describe_target_options)(const llvm::TargetOptions& options);
  // That of base/out_of_memory.h, for the library's copy of LLVM.
  void (*leave_guarded_out_of_memory)();
  // Has `end`, which must not return, end the process when the library's LLVM or operator new fails
  // on a thread that does the caller's own work and is not inside RunGuarded. `is_own_work` is
  // asked on the thread, because the process's code may use the same operator new: if it does, the
  // handler of std::set_new_handler that was there is called, or std::bad_alloc thrown.
  void (*set_out_of_memory_handler)(void (*end)(), bool (*is_own_work)());
};

// The library's file name.
inline constexpr char kCompilerLibraryName[] = "libfirstcall_compiler.so";

// The name of the library's only symbol, a function of this type.
inline constexpr char kCompilerLibrarySymbol[] = "firstcall_compiler_library";
using GetCompilerLibrary = const CompilerLibrary*();

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_COMPILER_LIBRARY_H_

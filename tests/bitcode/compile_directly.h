// Asks the compiler half without LLVM (direct/) for all that a module has, for tests with damaged
// bitcode: bodies with and without polls, alone and together, data, digests, labels and shapes.
// Nothing of it runs. Every failure must be a status that sends the engine to LLVM.

#ifndef FIRSTCALL_TESTS_BITCODE_COMPILE_DIRECTLY_H_
#define FIRSTCALL_TESTS_BITCODE_COMPILE_DIRECTLY_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "direct/direct_compiler.h"

namespace firstcall::testing {

// Thread-compatible. Reused from module to module, as an engine reuses its compiler.
class CompileDirectly {
 public:
  CompileDirectly();

  // Returns how many objects were made. A status with another code than Unimplemented and
  // InvalidArgument, or without a message, ends the process with a message.
  int Run(absl::string_view bitcode);

 private:
  std::unique_ptr<direct::DirectCompiler> compiler_;
};

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_BITCODE_COMPILE_DIRECTLY_H_

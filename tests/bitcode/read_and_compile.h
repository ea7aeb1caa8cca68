// What is tested with damaged bitcode: the module and the bodies of its functions are read, and
// what the readers accept is compiled by the baseline code generator: body by body for each target,
// and for this machine as an engine asks for it (CompileDirectly). Nothing of it runs. Every
// failure must be a status or a refusal.

#ifndef FIRSTCALL_TESTS_BITCODE_READ_AND_COMPILE_H_
#define FIRSTCALL_TESTS_BITCODE_READ_AND_COMPILE_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "backend/baseline/baseline_compiler.h"
#include "bitcode/module.h"
#include "ir/function.h"
#include "object/compiled_code.h"
#include "object/machine.h"
#include "tests/bitcode/compile_directly.h"
#include "tests/bitcode/samples.h"

namespace firstcall::testing {

// Thread-compatible. Reused from module to module, as an engine reuses its compilers.
class ReadAndCompile {
 public:
  struct Outcome {
    absl::Status module;         // Of the module without its bodies.
    int read = 0;                // Bodies that were accepted.
    int unknown = 0;             // Those that were refused as Unimplemented.
    int invalid = 0;             // Those that were refused as InvalidArgument.
    int compiled = 0;            // Those that the code generator covered.
    int objects = 0;             // What the compiler half without LLVM made for this machine.
    absl::Status first_failure;  // Of a body.

    bool accepts_all() const { return module.ok() && unknown == 0 && invalid == 0; }
  };

  ReadAndCompile();

  // A status with another code than Unimplemented and InvalidArgument, or without a message, ends
  // the process with a message.
  Outcome Run(absl::string_view bitcode);

 private:
  struct Target {
    SampleTarget target;
    Machine machine;
    std::unique_ptr<baseline::BaselineCompiler> compiler;
  };

  // The target whose data layout the module has; null if none has that.
  const Target* TargetOf(const bitcode::BitcodeModule& module) const;
  void ReadBodies(const bitcode::BitcodeModule& module, const Target* target, Outcome& outcome);

  std::vector<Target> targets_;
  ir::Function body_;
  CompiledCode code_;
  CompileDirectly directly_;
};

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_BITCODE_READ_AND_COMPILE_H_

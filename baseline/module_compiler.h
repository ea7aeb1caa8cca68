// Compiles a small module, such as a function-module, to a relocatable object with the baseline
// code generator, if that covers everything in it.
//
// Thread-compatible: one for each thread that compiles, to be used again and again, because its
// memory is kept from module to module.

#ifndef FIRSTCALL_BASELINE_MODULE_COMPILER_H_
#define FIRSTCALL_BASELINE_MODULE_COMPILER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "baseline/baseline_compiler.h"
#include "baseline/refusal.h"
#include "code/compiled_code.h"
#include "code/machine.h"
#include "code/object_bytes.h"
#include "llvm/IR/Module.h"

namespace firstcall::baseline {

class ModuleCompiler {
 public:
  struct Options {
    // Symbols that are dso_local lie within reach of a distance of 32 bits of the code.
    bool is_near = true;
    // As BaselineCompiler::Compile's.
    const llvm::DataLayout* layout = nullptr;
    // For the object's section .comment; may be empty.
    std::string comment;
  };

  // Arguments and errors are those of BaselineCompiler::Create.
  static absl::StatusOr<std::unique_ptr<ModuleCompiler>> Create(absl::string_view triple,
                                                                const BaselineOptions& options);

  // Compiles all definitions of `module`, which must be verified and have the target's data layout,
  // to `object`. Otherwise says what is not covered, and leaves `object` as it was. Never changes
  // the module.
  Refusal Compile(const llvm::Module& module, const Options& options, ObjectBytes& object);

 private:
  ModuleCompiler(std::unique_ptr<BaselineCompiler> functions, Machine machine)
      : functions_(std::move(functions)), machine_(machine) {}
  CompiledCode& NextPart();

  const std::unique_ptr<BaselineCompiler> functions_;
  const Machine machine_;
  // The first `part_count_` are those of this module.
  std::vector<CompiledCode> parts_;
  size_t part_count_ = 0;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_MODULE_COMPILER_H_

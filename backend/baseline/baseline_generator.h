// The baseline backend: ModuleCompiler, which reads functions in firstcall's own representation
// (ir/), behind the interface that all backends have.
//
// Thread-compatible.

#ifndef FIRSTCALL_BACKEND_BASELINE_BASELINE_GENERATOR_H_
#define FIRSTCALL_BACKEND_BASELINE_BASELINE_GENERATOR_H_

#include <functional>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/code_map.h"
#include "backend/baseline/module_compiler.h"
#include "backend/code_generator.h"
#include "ir/from_llvm/llvm_reader.h"
#include "llvm/IR/Function.h"

namespace firstcall::baseline {

class BaselineGenerator final : public CodeGenerator {
 public:
  // Whether an attribute of a function keeps this backend from generating code for the function.
  using HasObstacle = std::function<bool(const llvm::Function& function)>;

  // Arguments and errors are those of BaselineCompiler::Create.
  static absl::StatusOr<std::unique_ptr<BaselineGenerator>> Create(absl::string_view triple,
                                                                   const BaselineOptions& options,
                                                                   HasObstacle has_obstacle);

  // Never changes the module, and returns no error: what is not covered is refused.
  absl::StatusOr<GeneratedObject> Generate(llvm::Module& module,
                                           const GenerationRequest& request) override;

  // The same for one function of a module, alone, and records its code in `map`, whose watched
  // values are the caller's: the numbers of arguments come first, then those of the instructions
  // that have results, in their order. The numbers of instructions in `map` are their places in the
  // order of the function's. Refuses a function into which instructions would have to be put,
  // unless the map is made for a loop (CodeMap::loop).
  absl::StatusOr<GeneratedObject> GenerateWithMap(const llvm::Function& function,
                                                  const GenerationRequest& request, CodeMap& map);

 private:
  BaselineGenerator(std::unique_ptr<ModuleCompiler> compiler, HasObstacle has_obstacle)
      : compiler_(std::move(compiler)), has_obstacle_(std::move(has_obstacle)) {}

  const std::unique_ptr<ModuleCompiler> compiler_;
  const HasObstacle has_obstacle_;
  ir::LlvmReader reader_;  // Between calls of Generate, what it has read is not used.
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_BASELINE_GENERATOR_H_

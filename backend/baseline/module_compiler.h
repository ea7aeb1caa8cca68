// Compiles a small module, such as a function-module, to a relocatable object with the baseline
// code generator, if the code generator covers everything in the module.
//
// Thread-compatible: use one compiler for each compiling thread. Reuse it, because it keeps its
// memory from module to module.

#ifndef FIRSTCALL_BACKEND_BASELINE_MODULE_COMPILER_H_
#define FIRSTCALL_BACKEND_BASELINE_MODULE_COMPILER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/code_map.h"
#include "backend/baseline/refusal.h"
#include "ir/body_reader.h"
#include "ir/function.h"
#include "object/compiled_code.h"
#include "object/machine.h"
#include "object/object_bytes.h"

namespace firstcall::baseline {

class ModuleCompiler {
 public:
  struct Options {
    // dso_local symbols are within reach of a 32-bit distance from the code.
    bool is_near = true;
    // The contents of the object's section .comment; may be empty.
    std::string comment;
  };

  // Arguments and errors are those of BaselineCompiler::Create.
  static absl::StatusOr<std::unique_ptr<ModuleCompiler>> Create(absl::string_view triple,
                                                                const BaselineOptions& options);

  // Compiles all definitions of the module of `bodies`, which must have the target's data layout,
  // to `object`, and returns kNone. If something is not covered, or cannot be read, returns the
  // reason and leaves `object` unchanged.
  Refusal Compile(ir::BodyReader& bodies, const Options& options, ObjectBytes& object);

  // Part of a module whose other part LLVM compiles.
  struct Selection {
    // Functions and variables, by their numbers, that are only referred to.
    absl::FunctionRef<bool(uint32_t number)> is_left_out;
    // Is called for each function, variable or alias that is not covered.
    absl::FunctionRef<void(uint32_t number, Refusal reason)> refuse;
  };

  // Compiles what is covered of the definitions of the module of `bodies`, which has no assembly,
  // to `object`: functions, variables, and aliases of what is in the object. The object refers to
  // the others by their names, also to local ones. The options must be for any linker.
  void CompileSome(ir::BodyReader& bodies, const Options& options, const Selection& selection,
                   ObjectBytes& object);

  // The same as Compile for function number `function` alone, as if the module defined nothing
  // else, and records its code in `map` (see BaselineCompiler::Compile). kRepresentation if
  // instructions had to be put into the function, so that others have other numbers, unless only
  // CodeMap::live is asked for.
  Refusal CompileWithMap(ir::BodyReader& bodies, uint32_t function, bool is_near, CodeMap& map,
                         ObjectBytes& object);

 private:
  ModuleCompiler(std::unique_ptr<BaselineCompiler> functions, Machine machine,
                 const BaselineOptions& options)
      : functions_(std::move(functions)),
        machine_(machine),
        emulates_thread_locals_(options.emulates_thread_locals),
        ignores_debug_information_(options.ignores_debug_information) {}
  // Compiles the functions of the module that it defines, each to a part.
  Refusal CompileFunctions(ir::BodyReader& bodies, bool is_near);
  CompiledCode& NextPart();
  // Defines the alias in the part that has what it stands for, of the first `part_count_`. False if
  // none has it.
  bool DefineAlias(const ir::Module& module, const ir::Global& alias);

  const std::unique_ptr<BaselineCompiler> functions_;
  const Machine machine_;
  const bool emulates_thread_locals_;
  const bool ignores_debug_information_;
  // The first `part_count_` belong to the current module.
  std::vector<CompiledCode> parts_;
  size_t part_count_ = 0;
  ir::Function function_;  // The body that is being compiled.
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_MODULE_COMPILER_H_

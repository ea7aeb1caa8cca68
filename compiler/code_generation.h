// Has a backend generate the code of a module: the first of those that the settings allow, and that
// covers the module.
//
// Thread-compatible: hold the mutex of the view that the module's context belongs to.

#ifndef FIRSTCALL_COMPILER_CODE_GENERATION_H_
#define FIRSTCALL_COMPILER_CODE_GENERATION_H_

#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "backend/code_generator.h"
#include "compiler/compile_context.h"
#include "llvm/IR/Module.h"
#include "seam/identification.h"
#include "seam/symbol_index.h"

namespace firstcall {

struct CodeOrder {
  GenerationRequest request;
  const SymbolIndex& index;  // Of the source module.
  // The module has inline assembly, which may refer to names that the index does not have.
  bool has_assembly = false;
  // If this is not empty: called by GenerateCode when the baseline has refused the module, before
  // LLVM gets it.
  std::function<void()> prepare_for_llvm = nullptr;
};

// `identification` must exist as long as the request.
GenerationRequest MakeRequest(bool is_far, const std::optional<Identification>& identification);

// Tries the baseline backend, unless the settings turn it off, and then GenerateCodeByLlvm. The
// origin tells why the baseline refused.
absl::StatusOr<GeneratedObject> GenerateCode(std::unique_ptr<llvm::Module> module,
                                             const CodeOrder& order, CompileContext& context);

// By the baseline backend only. Unimplemented, with the reason, if it does not cover the module, or
// if the settings turn it off.
absl::StatusOr<GeneratedObject> GenerateBaselineCode(llvm::Module& module,
                                                     const GenerationRequest& request,
                                                     CompileContext& context);

// By LLVM, or by MCJIT if the settings say so. Errors: those of the backend; Internal if the object
// refers to names that LLVM made up.
absl::StatusOr<GeneratedObject> GenerateCodeByLlvm(llvm::Module& module, const CodeOrder& order,
                                                   CompileContext& context);

// The same for a module that is consumed.
absl::StatusOr<GeneratedObject> GenerateCodeByLlvm(std::unique_ptr<llvm::Module> module,
                                                   const CodeOrder& order, CompileContext& context);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_CODE_GENERATION_H_

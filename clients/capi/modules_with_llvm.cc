// Adding modules that are objects of LLVM, where LLVM is linked into the library.

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status.h"
#include "clients/capi/engine.h"
#include "clients/capi/error.h"
#include "clients/capi/firstcall.h"
#include "engine/module_bitcode.h"
#include "llvm-c/Core.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace {

using firstcall::capi::Give;
using firstcall::capi::Guarded;
using firstcall::capi::RequireAll;

}  // namespace

extern "C" {

fc_error* fc_engine_add_module(fc_engine* engine, struct LLVMOpaqueContext* context,
                               struct LLVMOpaqueModule* llvm_module, fc_module_id* module) {
  return Guarded(__func__, [&]() -> absl::Status {
    std::unique_ptr<llvm::LLVMContext> owned_context;
    std::unique_ptr<llvm::Module> owned_module(llvm::unwrap(llvm_module));
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_engine_add_module", {{"llvm_module", llvm_module}, {"context", context}}));
    if (&owned_module->getContext() != llvm::unwrap(context)) {
      return absl::InvalidArgumentError(
          "fc_engine_add_module: the context is not the one that the module lives in");
    }
    if (context == LLVMGetGlobalContext()) {
      return absl::InvalidArgumentError(
          "fc_engine_add_module: the module lives in LLVM's global context, which nobody can take "
          "over");
    }
    owned_context.reset(llvm::unwrap(context));
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_engine_add_module", {{"engine", engine}}));
    return Give(engine->engine->AddModule(std::move(owned_context), std::move(owned_module)),
                module);
  });
}

fc_error* fc_engine_add_module_copy(fc_engine* engine, struct LLVMOpaqueModule* llvm_module,
                                    fc_module_id* module) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_engine_add_module_copy",
                                         {{"engine", engine}, {"llvm_module", llvm_module}}));
    const llvm::Module& original = *llvm::unwrap(llvm_module);
    absl::StatusOr<std::string> bitcode = firstcall::ToBitcode(original);
    if (!bitcode.ok()) return bitcode.status();
    return Give(engine->engine->AddBitcode(*bitcode, original.getModuleIdentifier()), module);
  });
}

}  // extern "C"

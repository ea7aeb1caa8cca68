// Adding modules that are objects of LLVM, where LLVM is linked into the library.

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "capi/engine.h"
#include "capi/error.h"
#include "capi/firstcall.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace {

using firstcall::capi::Give;
using firstcall::capi::Guarded;
using firstcall::capi::RequireAll;

// The bitcode of `module`, which is verified first, because LLVM writes only valid modules.
absl::StatusOr<llvm::SmallVector<char, 0>> ToBitcode(const llvm::Module& module) {
  std::string reason;
  llvm::raw_string_ostream reasons(reason);
  if (llvm::verifyModule(module, &reasons)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", module.getModuleIdentifier(),
                     "': module is not valid IR: ", absl::StripTrailingAsciiWhitespace(reason)));
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

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
    absl::StatusOr<llvm::SmallVector<char, 0>> bitcode = ToBitcode(original);
    if (!bitcode.ok()) return bitcode.status();
    return Give(engine->engine->AddBitcode({bitcode->data(), bitcode->size()},
                                           original.getModuleIdentifier()),
                module);
  });
}

}  // extern "C"

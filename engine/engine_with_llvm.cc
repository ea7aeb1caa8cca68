// What an engine offers where LLVM is linked into the program.

#include <string>
#include <utility>

#include "backend/llvm/llvm_debugger_registration.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "compiler/in_process_compiler.h"
#include "engine/engine.h"
#include "engine/engine_parts.h"
#include "engine/linked_compiler.h"
#include "engine/module_bitcode.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "splitter/module_source.h"

namespace firstcall {

// A debugger may have its breakpoint in LLVM's function only, and the engine asks whether there is
// a debugger (ChooseDebugInfo).
absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(EngineOptions options) {
  UseLlvmsListener();
  return Create(std::move(options), LinkedCompiler());
}

absl::StatusOr<ModuleId> Engine::AddModule(std::unique_ptr<llvm::LLVMContext> context,
                                           std::unique_ptr<llvm::Module> module) {
  const absl::Duration start = SteadyNow();
  if (&parts_->provider != &LinkedCompiler()) {
    // Another process gets it as bitcode, or another copy of LLVM.
    FIRSTCALL_ASSIGN_OR_RETURN(const std::string bitcode, ToBitcode(*module));
    return AddBitcode(bitcode, module->getModuleIdentifier());
  }
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ModuleSource> parsed,
                             ModuleSource::FromModule(std::move(context), std::move(module)));
  Parts::NewSource source;
  source.name = parsed->name();
  source.is_reopenable = parsed->is_reopenable();
  if (parts_->has_cache()) source.digest = parsed->ContentDigest();
  FIRSTCALL_RETURN_IF_ERROR(parts_->compiler.Make("a module in memory"));
  auto& compiler = static_cast<InProcessCompiler&>(*parts_->compiler.compiler());
  auto shared = std::make_shared<std::unique_ptr<ModuleSource>>(std::move(parsed));
  source.add = [&compiler, shared](ModuleId id, std::shared_ptr<const SymbolIndex> index) {
    return compiler.AddSource(id, std::move(*shared), std::move(index));
  };
  return parts_->Add(std::move(source), start);
}

}  // namespace firstcall

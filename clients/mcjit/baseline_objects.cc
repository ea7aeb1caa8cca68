#include "clients/mcjit/baseline_objects.h"

#include <utility>

#include "clients/mcjit/environment.h"
#include "clients/mcjit/report.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Error.h"

namespace firstcall {

std::unique_ptr<BaselineObjects> BaselineObjects::Create(
    const llvm::TargetMachine& target_machine) {
  const Environment& environment = Environment::Get();
  const bool is_unoptimized = environment.codegen_level
                                  ? *environment.codegen_level == CodegenLevel::kO0
                                  : target_machine.getOptLevel() == llvm::CodeGenOptLevel::None;
  if (!is_unoptimized || environment.baseline == Baseline::kOff) return nullptr;
  llvm::orc::JITTargetMachineBuilder builder(target_machine.getTargetTriple());
  builder.setCPU(target_machine.getTargetCPU().str());
  builder.setFeatures(target_machine.getTargetFeatureString());
  builder.setOptions(target_machine.Options);
  builder.setRelocationModel(target_machine.getRelocationModel());
  builder.setCodeModel(target_machine.getCodeModel());
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  OrcCompilerOptions options;
  // The client may read what its modules have.
  options.keeps_debug_information = environment.debug_info != DebugInfo::kNever;
  llvm::Expected<std::unique_ptr<OrcCompiler>> compiler =
      OrcCompiler::Create(std::move(builder), options);
  if (!compiler) {
    llvm::consumeError(compiler.takeError());
    return nullptr;
  }
  ReportWholeModulesAtExit();
  return std::unique_ptr<BaselineObjects>(new BaselineObjects(std::move(*compiler)));
}

void BaselineObjects::ServeEngine(llvm::ExecutionEngine& engine) {
  engine_ = &engine;
  engine.setObjectCache(this);
}

std::unique_ptr<llvm::MemoryBuffer> BaselineObjects::getObject(const llvm::Module* module) {
  if (clients_ != nullptr) {
    if (std::unique_ptr<llvm::MemoryBuffer> object = clients_->getObject(module)) return object;
  }
  // MCJIT compiles its modules, which are constant only for caches.
  auto& own = const_cast<llvm::Module&>(*module);
  if (llvm::Error error = own.materializeAll()) {
    llvm::consumeError(std::move(error));
    return nullptr;
  }
  if (engine_->getVerifyModules() && llvm::verifyModule(own)) return nullptr;
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> object = (*compiler_)(own);
  if (!object) {
    llvm::consumeError(object.takeError());
    return nullptr;
  }
  notifyObjectCompiled(module, (*object)->getMemBufferRef());
  return std::move(*object);
}

void BaselineObjects::notifyObjectCompiled(const llvm::Module* module,
                                           llvm::MemoryBufferRef object) {
  if (clients_ != nullptr) clients_->notifyObjectCompiled(module, object);
}

}  // namespace firstcall

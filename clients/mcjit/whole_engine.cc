#include "clients/mcjit/whole_engine.h"

#include <algorithm>
#include <utility>

#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "third_party/llvm/version/target_machine.h"

namespace firstcall {
namespace {

class FinderAsResolver final : public llvm::LegacyJITSymbolResolver {
 public:
  explicit FinderAsResolver(const WholeEngine::SymbolFinder& finder) : finder_(finder) {}

  llvm::JITSymbol findSymbol(const std::string& name) override {
    const uint64_t address = finder_(name);
    if (address == 0) return nullptr;
    return {address, llvm::JITSymbolFlags::Exported};
  }

  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return nullptr; }

 private:
  const WholeEngine::SymbolFinder& finder_;
};

std::unique_ptr<llvm::TargetMachine> Clone(const llvm::TargetMachine& machine) {
  return llvm_version::CreateJitMachine(
      machine.getTarget(), machine.getTargetTriple(), machine.getTargetCPU().str(),
      machine.getTargetFeatureString().str(), machine.Options, machine.getRelocationModel(),
      machine.getCodeModel(), machine.getOptLevel());
}

}  // namespace

WholeEngine::WholeEngine(McjitConstructor constructor,
                         std::shared_ptr<llvm::MCJITMemoryManager> memory_manager,
                         SymbolFinder finder)
    : constructor_(constructor),
      memory_manager_(std::move(memory_manager)),
      finder_(std::move(finder)) {}

// MCJIT's constructor needs a module, so it gets an empty one.
llvm::ExecutionEngine& WholeEngine::GetOrCreate(const llvm::TargetMachine& target_machine) {
  if (engine_ != nullptr) return *engine_;
  context_ = std::make_unique<llvm::LLVMContext>();
  std::string error;
  engine_.reset(constructor_(std::make_unique<llvm::Module>("firstcall", *context_), &error,
                             memory_manager_, std::make_shared<FinderAsResolver>(finder_),
                             Clone(target_machine)));
  if (engine_ == nullptr) llvm::report_fatal_error(llvm::Twine(error), /*gen_crash_diag=*/false);
  engine_->setProcessAllSections(processes_all_sections_);
  for (llvm::JITEventListener* listener : listeners_) engine_->RegisterJITEventListener(listener);
  engine_->finalizeObject();
  ServeObjectCache();
  return *engine_;
}

// A client that wants all sections reads what only LLVM writes.
void WholeEngine::ServeObjectCache() {
  if (processes_all_sections_) return engine_->setObjectCache(object_cache_);
  if (baseline_objects_ == nullptr) {
    baseline_objects_ = BaselineObjects::Create(*engine_->getTargetMachine());
  }
  if (baseline_objects_ == nullptr) return engine_->setObjectCache(object_cache_);
  baseline_objects_->SetClients(object_cache_);
  baseline_objects_->ServeEngine(*engine_);
}

void WholeEngine::AddListener(llvm::JITEventListener* listener) {
  listeners_.push_back(listener);
  if (engine_ != nullptr) engine_->RegisterJITEventListener(listener);
}

void WholeEngine::RemoveListener(llvm::JITEventListener* listener) {
  listeners_.erase(std::remove(listeners_.begin(), listeners_.end(), listener), listeners_.end());
  if (engine_ != nullptr) engine_->UnregisterJITEventListener(listener);
}

void WholeEngine::SetObjectCache(llvm::ObjectCache* cache) {
  object_cache_ = cache;
  if (engine_ != nullptr) ServeObjectCache();
}

void WholeEngine::SetProcessAllSections(bool process_all_sections) {
  processes_all_sections_ = process_all_sections;
  if (engine_ == nullptr) return;
  engine_->setProcessAllSections(process_all_sections);
  ServeObjectCache();
}

absl::string_view WholeEngine::ReasonForAllModules() const {
  if (object_cache_ != nullptr) return "the client has an object cache";
  if (processes_all_sections_) return "the client wants all sections";
  return "";
}

}  // namespace firstcall

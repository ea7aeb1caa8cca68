#include "clients/mcjit/constructor.h"

#include <tuple>
#include <utility>

#include "clients/mcjit/baseline_objects.h"
#include "clients/mcjit/environment.h"
#include "clients/mcjit/lazy_engine.h"
#include "clients/mcjit/report.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {
namespace {

McjitConstructor mcjits_own = nullptr;

// The virtual function table of an object, which identifies its class. (typeid would need the type
// information of the client's class, which clients compiled with -fno-rtti do not have.)
const void* TableOf(const void* object) { return *static_cast<const void* const*>(object); }

bool IsPlain(const llvm::MCJITMemoryManager& manager) {
  static const void* const plain = [] {
    const llvm::SectionMemoryManager section_memory_manager;
    return TableOf(static_cast<const llvm::MCJITMemoryManager*>(&section_memory_manager));
  }();
  return TableOf(&manager) == plain;
}

// A memory manager of the client's, with what its engine's objects come from.
struct ServedManager {
  std::shared_ptr<llvm::MCJITMemoryManager> manager;
  std::unique_ptr<BaselineObjects> objects;
};

// An engine of MCJIT's own for a client that wants real objects.
llvm::ExecutionEngine* ConstructServed(std::unique_ptr<llvm::Module> module, std::string* error,
                                       std::shared_ptr<llvm::MCJITMemoryManager> memory_manager,
                                       std::shared_ptr<llvm::LegacyJITSymbolResolver> resolver,
                                       std::unique_ptr<llvm::TargetMachine> target_machine) {
  auto served = std::make_shared<ServedManager>();
  served->manager = std::move(memory_manager);
  served->objects = BaselineObjects::Create(*target_machine);
  BaselineObjects* const objects = served->objects.get();
  llvm::MCJITMemoryManager* const manager = served->manager.get();
  // The engine has the manager, and with it the objects, until its end.
  llvm::ExecutionEngine* const engine =
      mcjits_own(std::move(module), error,
                 std::shared_ptr<llvm::MCJITMemoryManager>(std::move(served), manager),
                 std::move(resolver), std::move(target_machine));
  if (engine != nullptr && objects != nullptr) objects->ServeEngine(*engine);
  return engine;
}

}  // namespace

void SetMcjitsOwn(McjitConstructor constructor) { mcjits_own = constructor; }

llvm::ExecutionEngine* ConstructEngine(std::unique_ptr<llvm::Module> module, std::string* error,
                                       std::shared_ptr<llvm::MCJITMemoryManager> memory_manager,
                                       std::shared_ptr<llvm::LegacyJITSymbolResolver> resolver,
                                       std::unique_ptr<llvm::TargetMachine> target_machine) {
  // MCJIT does this, too: symbols of the program are found from now on.
  llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr, nullptr);
  const Environment& environment = Environment::Get();
  const std::string name = module->getModuleIdentifier();
  std::string reason;
  if (!environment.is_lazy) {
    reason = "FIRSTCALL_OPTIONS says so";
  } else if (memory_manager != nullptr && !IsPlain(*memory_manager)) {
    ReportMcjitsOwn(name, "the client has a memory manager of its own");
    return ConstructServed(std::move(module), error, std::move(memory_manager), std::move(resolver),
                           std::move(target_machine));
  } else {
    if (resolver == nullptr) {
      auto section_memory_manager = std::make_shared<llvm::SectionMemoryManager>();
      resolver = section_memory_manager;
      if (memory_manager == nullptr) memory_manager = std::move(section_memory_manager);
    } else if (memory_manager == nullptr) {
      memory_manager = std::make_shared<llvm::SectionMemoryManager>();
    }
    LazyEngine::Parts parts;
    parts.mcjit = mcjits_own;
    parts.memory_manager = memory_manager;
    parts.resolver = resolver;
    parts.target_machine = std::move(target_machine);
    auto engine = std::make_unique<LazyEngine>(std::move(module), std::move(parts));
    const absl::Status status = engine->Start();
    if (status.ok()) return engine.release();
    reason = std::string(status.message());
    std::tie(module, target_machine) = engine->GiveBack();
  }
  ReportMcjitsOwn(name, reason);
  return mcjits_own(std::move(module), error, std::move(memory_manager), std::move(resolver),
                    std::move(target_machine));
}

}  // namespace firstcall

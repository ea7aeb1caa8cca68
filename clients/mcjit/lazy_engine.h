// An engine in MCJIT's place, whose functions are compiled when they are first called.
//
// A module stays the client's until MCJIT would generate its code. Then it is *taken*: a copy of it
// goes to a firstcall::Engine (module_copy.h), and nothing reads the client's IR any more. What
// cannot be lazy is compiled whole by an MCJIT engine inside of this one: modules that are taken
// while there is an object cache, that firstcall does not support, or after setProcessAllSections;
// and object files and archives.
//
// Names mean what they mean for MCJIT: in a module its own definitions; then global mappings, the
// definitions of modules that were taken (the last one wins), modules that were not taken, the lazy
// function creator, and unless symbol searching is disabled the client's resolver. They are looked
// up when a function that needs them is compiled. A name that nothing defines is MCJIT's fatal
// error at that time.
//
// Thread-safety: as MCJIT's. Compiled code may be called on any threads at the same time, also
// while the engine's functions are called.

#ifndef FIRSTCALL_CLIENTS_MCJIT_LAZY_ENGINE_H_
#define FIRSTCALL_CLIENTS_MCJIT_LAZY_ENGINE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "clients/mcjit/constructor.h"
#include "clients/mcjit/created_symbols.h"
#include "clients/mcjit/module_list.h"
#include "clients/mcjit/object_notifier.h"
#include "clients/mcjit/report.h"
#include "clients/mcjit/taken_definitions.h"
#include "clients/mcjit/unbound_references.h"
#include "clients/mcjit/whole_engine.h"
#include "engine/engine.h"
#include "llvm/ExecutionEngine/ExecutionEngine.h"
#include "llvm/ExecutionEngine/GenericValue.h"

namespace firstcall {

class LazyEngine final : public llvm::ExecutionEngine {
 public:
  // None of the pointers is null.
  struct Parts {
    McjitConstructor mcjit = nullptr;  // Makes the engine for what is compiled whole.
    std::shared_ptr<llvm::MCJITMemoryManager> memory_manager;  // For the same.
    std::shared_ptr<llvm::LegacyJITSymbolResolver> resolver;
    std::unique_ptr<llvm::TargetMachine> target_machine;
  };

  LazyEngine(std::unique_ptr<llvm::Module> module, Parts parts);
  ~LazyEngine() override;

  // Call this once, before any other function. An error says why the engine cannot be lazy; then
  // call GiveBack.
  absl::Status Start();

  // Takes the constructor's arguments out again.
  std::pair<std::unique_ptr<llvm::Module>, std::unique_ptr<llvm::TargetMachine>> GiveBack();

  // --- llvm::ExecutionEngine ---

  void addModule(std::unique_ptr<llvm::Module> module) override;
  bool removeModule(llvm::Module* module) override;
  void addObjectFile(std::unique_ptr<llvm::object::ObjectFile> object) override;
  void addObjectFile(llvm::object::OwningBinary<llvm::object::ObjectFile> object) override;
  void addArchive(llvm::object::OwningBinary<llvm::object::Archive> archive) override;

  llvm::Function* FindFunctionNamed(llvm::StringRef name) override;
  llvm::GlobalVariable* FindGlobalVariableNamed(llvm::StringRef name, bool allow_internal) override;

  void generateCodeForModule(llvm::Module* module) override;
  void finalizeObject() override;
  uint64_t getGlobalValueAddress(const std::string& name) override;
  uint64_t getFunctionAddress(const std::string& name) override;
  void* getPointerToFunction(llvm::Function* function) override;
  void* getPointerToNamedFunction(llvm::StringRef name, bool abort_on_failure) override;
  llvm::GenericValue runFunction(llvm::Function* function,
                                 llvm::ArrayRef<llvm::GenericValue> arguments) override;
  using llvm::ExecutionEngine::runStaticConstructorsDestructors;
  void runStaticConstructorsDestructors(bool are_destructors) override;

  void RegisterJITEventListener(llvm::JITEventListener* listener) override;
  void UnregisterJITEventListener(llvm::JITEventListener* listener) override;
  void setObjectCache(llvm::ObjectCache* cache) override;
  void setProcessAllSections(bool process_all_sections) override;
  void mapSectionAddress(const void* local_address, uint64_t target_address) override;
  llvm::TargetMachine* getTargetMachine() override { return target_machine_.get(); }

 protected:
  // Where the compiled code has the variable. Enters that as a mapping and returns null, because
  // the caller would write the variable's initial value to the address.
  char* getMemoryForGV(const llvm::GlobalVariable* variable) override;

 private:
  using Guard = std::lock_guard<std::recursive_mutex>;

  // Taking a module gives way to other work of the client's, which may add and remove modules, also
  // the one that is being taken.
  void Take(llvm::Module& module);
  // Its entry afterwards; null if the module is not the engine's, or was removed meanwhile.
  ListedModule* TakeIfKnown(const llvm::Module* module);
  // Also those that are added meanwhile.
  void TakeAll();
  absl::Status TakeLazily(ListedModule& entry);
  void TakeWhole(ListedModule& entry, absl::string_view reason);
  llvm::ExecutionEngine& Whole() { return whole_.GetOrCreate(*target_machine_); }
  // The caller does not hold `mutex_`, so that LockForWhole may wait.
  void TakeWhatIsNeeded();
  // Makes sure that MCJIT, when it binds references, need not wait for a thread that links. Then
  // locks `mutex_`.
  std::unique_lock<std::recursive_mutex> LockForWhole();
  void LearnAddressesOfWhole();

  // These find the address of a name in objects, and return 0 if nothing defines it.
  absl::StatusOr<uint64_t> AddressOf(const std::string& object_name,
                                     const TakenDefinitions::Definition& definition);
  absl::StatusOr<uint64_t> FindExisting(const std::string& object_name);
  absl::StatusOr<uint64_t> FindOrTake(const std::string& object_name, bool functions_only);
  uint64_t FindLocal(const std::string& name);
  uint64_t FindWithCreator(const std::string& object_name);
  uint64_t FindWithResolver(const std::string& object_name);
  uint64_t FindForCode(const std::string& object_name);
  uint64_t FindForWhole(const std::string& object_name);
  uint64_t AddressByName(const std::string& name, bool functions_only);

  std::unique_ptr<llvm::TargetMachine> target_machine_;
  const std::shared_ptr<llvm::LegacyJITSymbolResolver> resolver_;  // The client's.
  std::shared_ptr<ObjectNotifier> notifier_ = std::make_shared<ObjectNotifier>();
  std::unique_ptr<Engine> lazy_;
  TakenDefinitions definitions_;
  CreatedSymbols created_;

  // Guards the rest. Held while the client's IR is read and while MCJIT works, but not while
  // `lazy_` links or compiles, because that asks for names: what MCJIT asks for is linked before
  // (LockForWhole).
  std::recursive_mutex mutex_;
  ModuleList modules_;
  std::vector<ModuleId> taken_;  // The modules of `lazy_`, also of those that were removed.
  size_t module_count_ = 0;      // How many modules `lazy_` was given, also if it refused them.
  bool runs_exit_handlers_ = false;
  std::vector<std::string> needed_;  // By modules that were taken and not yet finalized.
  WholeEngine whole_;
  UnboundReferences unbound_;  // Those of `whole_`.

  std::optional<EngineReport> report_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_LAZY_ENGINE_H_

#include "clients/mcjit/lazy_engine.h"

#include <dlfcn.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "clients/mcjit/call_address.h"
#include "clients/mcjit/module_copy.h"
#include "clients/mcjit/settings.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {
namespace {

// MCJIT ends the process by this, too, or calls the handler that the client has installed.
[[noreturn]] void Fail(const std::string& message) {
  llvm::report_fatal_error(llvm::Twine(message), /*gen_crash_diag=*/false);
}

[[noreturn]] void FailUnresolved(absl::string_view name) {
  Fail(absl::StrCat("Program used external function '", name, "' which could not be resolved!"));
}

// Names of the process for which the engine has functions of its own: exit handlers of compiled
// code run before the code is freed, and thread-local variables are freed with it.
bool IsOfEngine(const std::string& name, uint64_t address) {
  if (name != "__cxa_atexit" && name != "__cxa_thread_atexit" && name != "__emutls_get_address") {
    return false;
  }
  return address == reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, name.c_str()));
}

// Takes `module` out of `modules`, which owns it.
std::unique_ptr<llvm::Module> Disown(
    const llvm::Module& module, llvm::SmallVectorImpl<std::unique_ptr<llvm::Module>>& modules) {
  const auto owner = std::find_if(modules.begin(), modules.end(),
                                  [&](const auto& owned) { return owned.get() == &module; });
  std::unique_ptr<llvm::Module> owned = std::move(*owner);
  modules.erase(owner);
  return owned;
}

}  // namespace

LazyEngine::LazyEngine(std::unique_ptr<llvm::Module> module, Parts parts)
    : ExecutionEngine(parts.target_machine->createDataLayout(), std::move(module)),
      target_machine_(std::move(parts.target_machine)),
      resolver_(std::move(parts.resolver)),
      modules_(getDataLayout().getGlobalPrefix()),
      whole_(parts.mcjit, std::move(parts.memory_manager),
             [this](const std::string& object_name) { return FindForWhole(object_name); }) {
  llvm::Module& first = *Modules.front();
  if (first.getDataLayout().isDefault()) first.setDataLayout(getDataLayout());
  modules_.Add(first);
}

absl::Status LazyEngine::Start() {
  EngineOptions options = OptionsFor(*target_machine_);
  options.search_process_symbols = false;
  options.search_other_libraries = false;
  options.symbol_finder = [this](absl::string_view name) -> void* {
    // LLVM's would run handlers when the process exits, and the engine may not exist then.
    if (name == "atexit") return nullptr;
    return reinterpret_cast<void*>(FindForCode(std::string(name)));
  };
  options.failure_handler = [](const FailedCall& call) -> void* {
    Fail(std::string(call.status.message()));
  };
  options.listeners.push_back(notifier_);
  FIRSTCALL_ASSIGN_OR_RETURN(lazy_, Engine::Create(std::move(options)));
  report_.emplace(modules_.entries().front().module->getModuleIdentifier(),
                  [this] { return lazy_->stats().ToString(); });
  return absl::OkStatus();
}

std::pair<std::unique_ptr<llvm::Module>, std::unique_ptr<llvm::TargetMachine>>
LazyEngine::GiveBack() {
  modules_.Remove(modules_.entries().front());
  std::unique_ptr<llvm::Module> module = std::move(Modules.front());
  Modules.clear();
  return {std::move(module), std::move(target_machine_)};
}

LazyEngine::~LazyEngine() {
  report_.reset();
  // Exit handlers of compiled code run now, and may need everything else.
  if (lazy_ != nullptr) lazy_->RunDestructors();
  notifier_->NotifyFreeing();
  lazy_.reset();
}

// --- The client's modules ---

void LazyEngine::addModule(std::unique_ptr<llvm::Module> module) {
  const Guard guard(mutex_);
  if (module->getDataLayout().isDefault()) module->setDataLayout(getDataLayout());
  modules_.Add(*module);
  Modules.push_back(std::move(module));
}

// The code stays: it does not need the client's module.
bool LazyEngine::removeModule(llvm::Module* module) {
  const Guard guard(mutex_);
  const ListedModule* const entry = modules_.Find(module);
  if (entry == nullptr) return false;
  const bool is_whole = entry->state == ListedModule::State::kWhole;
  modules_.Remove(*entry);
  if (is_whole) return Whole().removeModule(module);
  (void)Disown(*module, Modules).release();  // The client owns it again.
  return true;
}

llvm::Function* LazyEngine::FindFunctionNamed(llvm::StringRef name) {
  const Guard guard(mutex_);
  for (const ListedModule& entry : modules_.entries()) {
    llvm::Function* const function = entry.module->getFunction(name);
    if (function != nullptr && !function->isDeclaration()) return function;
  }
  return nullptr;
}

llvm::GlobalVariable* LazyEngine::FindGlobalVariableNamed(llvm::StringRef name,
                                                          bool allow_internal) {
  const Guard guard(mutex_);
  for (const ListedModule& entry : modules_.entries()) {
    llvm::GlobalVariable* const variable = entry.module->getGlobalVariable(name, allow_internal);
    if (variable != nullptr && !variable->isDeclaration()) return variable;
  }
  return nullptr;
}

// --- Taking modules ---

void LazyEngine::Take(llvm::Module& module) {
  if (modules_.FindAdded(module) == nullptr) return;
  if (getVerifyModules() && llvm::verifyModule(module, &llvm::errs())) {
    Fail("<main> module verification failed!");
  }
  // Code generation would give way to the client's other work now and then.
  module.getContext().yield();
  // That may have added and removed modules.
  ListedModule* const entry = modules_.FindAdded(module);
  if (entry == nullptr) return;
  std::string reason(whole_.ReasonForAllModules());
  if (reason.empty()) {
    const absl::Status status = TakeLazily(*entry);
    if (status.ok()) return;
    reason = std::string(status.message());
  }
  TakeWhole(*entry, reason);
}

ListedModule* LazyEngine::TakeIfKnown(const llvm::Module* module) {
  if (const ListedModule* const entry = modules_.Find(module)) Take(*entry->module);
  return modules_.Find(module);
}

void LazyEngine::TakeAll() {
  while (const ListedModule* const added = modules_.FirstAdded()) Take(*added->module);
}

absl::Status LazyEngine::TakeLazily(ListedModule& entry) {
  if (llvm::Error error = entry.module->materializeAll()) {
    return absl::InvalidArgumentError(llvm::toString(std::move(error)));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleCopy copy,
                             CopyModule(*entry.module, [this](const std::string& name) {
                               return definitions_.Has(name);
                             }));
  const std::string& name = entry.module->getModuleIdentifier();
  // Modules may define the same names, so each one is a library.
  FIRSTCALL_ASSIGN_OR_RETURN(
      entry.id, lazy_->AddBitcode(copy.bitcode, name, absl::StrCat("#", ++module_count_)));
  entry.state = ListedModule::State::kLazy;
  taken_.push_back(entry.id);
  definitions_.EnterLazy(copy.defined, entry.id);
  needed_.insert(needed_.end(), copy.declared.begin(), copy.declared.end());
  if (!runs_exit_handlers_) {
    // The copies have no constructors. From now on exit handlers of compiled code run when the
    // process exits.
    runs_exit_handlers_ = true;
    return lazy_->RunConstructors();
  }
  return absl::OkStatus();
}

void LazyEngine::TakeWhole(ListedModule& entry, absl::string_view reason) {
  llvm::Module& module = *entry.module;
  report_->OnWholeModule(module.getModuleIdentifier(), reason);
  const ModuleCopy names = NamesOf(module);
  llvm::ExecutionEngine& whole = Whole();
  // There a mapping comes before the definitions of other modules.
  for (const std::vector<std::string>* list : {&names.defined, &names.declared}) {
    for (const std::string& name : *list) {
      const uint64_t address = getAddressToGlobalIfAvailable(name);
      if (address != 0) whole.updateGlobalMapping(name, address);
    }
  }
  std::unique_ptr<llvm::Module> owned = Disown(module, Modules);
  entry.state = ListedModule::State::kWhole;
  whole.addModule(std::move(owned));
  whole.setVerifyModules(getVerifyModules());
  whole.generateCodeForModule(&module);
  definitions_.EnterWhole(names.defined);
  needed_.insert(needed_.end(), names.declared.begin(), names.declared.end());
  unbound_.Add(names.declared);
}

// When MCJIT binds references, it compiles the modules that they need, and asks the creator for
// what no module defines.
void LazyEngine::TakeWhatIsNeeded() {
  while (true) {
    const std::unique_lock<std::recursive_mutex> lock = LockForWhole();
    if (needed_.empty()) return LearnAddressesOfWhole();
    const std::vector<std::string> names = std::exchange(needed_, {});
    for (const std::string& name : names) {
      if (getAddressToGlobalIfAvailable(name) != 0 || definitions_.Has(name)) continue;
      if (const ListedModule* entry = modules_.FindAddedThatDefines(name, false)) {
        Take(*entry->module);
      } else {
        FindWithCreator(name);
      }
    }
  }
}

// A thread that links data for a first call asks for names, so it may wait for `mutex_`. Whoever
// holds that must not wait for such a thread.
std::unique_lock<std::recursive_mutex> LazyEngine::LockForWhole() {
  while (true) {
    std::unique_lock<std::recursive_mutex> lock(mutex_);
    for (size_t i = 0; i < unbound_.names().size(); ++i) {
      const std::string name = unbound_.names()[i];  // Taking a module may make the list longer.
      if (getAddressToGlobalIfAvailable(name) != 0 || definitions_.Has(name)) continue;
      const ListedModule* const entry = modules_.FindAddedThatDefines(name, false);
      if (entry != nullptr) Take(*entry->module);
    }
    const std::vector<std::string> names = unbound_.names();
    const uint64_t additions = unbound_.additions();
    if (!names.empty()) {
      lock.unlock();
      for (const std::string& name : names) {
        const std::optional<TakenDefinitions::Definition> definition = definitions_.Find(name);
        // If there is an error, MCJIT finds no definition.
        if (definition && definition->lazy) (void)AddressOf(name, *definition);
      }
      lock.lock();
    }
    if (additions != unbound_.additions()) continue;
    return lock;
  }
}

void LazyEngine::LearnAddressesOfWhole() {
  llvm::ExecutionEngine* const whole = whole_.get();
  if (whole == nullptr) return;
  whole->finalizeObject();
  unbound_.Clear();
  if (whole->hasError()) ErrMsg = whole->getErrorMessage();
  for (const std::string& name : definitions_.TakeNamesWithoutAddress()) {
    definitions_.SetAddress(name, whole->getGlobalValueAddress(name));
  }
}

void LazyEngine::generateCodeForModule(llvm::Module* module) {
  const Guard guard(mutex_);
  Take(*module);
}

void LazyEngine::finalizeObject() {
  {
    const Guard guard(mutex_);
    TakeAll();
  }
  TakeWhatIsNeeded();
}

// --- Names ---

absl::StatusOr<uint64_t> LazyEngine::AddressOf(const std::string& object_name,
                                               const TakenDefinitions::Definition& definition) {
  if (definition.lazy) {
    FIRSTCALL_ASSIGN_OR_RETURN(void* address, lazy_->LookupAddress(*definition.lazy, object_name));
    return reinterpret_cast<uint64_t>(address);
  }
  if (definition.address != 0) return definition.address;
  const std::unique_lock<std::recursive_mutex> lock = LockForWhole();
  return Whole().getGlobalValueAddress(object_name);
}

// Mappings, and what was taken. 0 if there is no definition.
absl::StatusOr<uint64_t> LazyEngine::FindExisting(const std::string& object_name) {
  const uint64_t mapped = getAddressToGlobalIfAvailable(object_name);
  if (mapped != 0) return mapped;
  const std::optional<TakenDefinitions::Definition> definition = definitions_.Find(object_name);
  return definition ? AddressOf(object_name, *definition) : 0;
}

// The same, and modules that were not taken, and archives.
absl::StatusOr<uint64_t> LazyEngine::FindOrTake(const std::string& object_name,
                                                bool functions_only) {
  absl::StatusOr<uint64_t> address = FindExisting(object_name);
  if (!address.ok() || *address != 0) return address;
  bool may_be_in_archive = false;
  {
    const Guard guard(mutex_);
    const ListedModule* const entry = modules_.FindAddedThatDefines(object_name, functions_only);
    if (entry != nullptr) Take(*entry->module);
    may_be_in_archive = unbound_.has_files() && entry == nullptr;
    if (may_be_in_archive && unbound_.IsInArchive(object_name)) unbound_.Add({object_name});
  }
  if (may_be_in_archive) {
    const std::unique_lock<std::recursive_mutex> lock = LockForWhole();
    const uint64_t found = Whole().getGlobalValueAddress(object_name);
    if (found != 0) unbound_.Clear();  // Only then MCJIT has bound references.
    return found;
  }
  return FindExisting(object_name);
}

uint64_t LazyEngine::FindWithCreator(const std::string& object_name) {
  return created_.AddressOf(object_name, LazyFunctionCreator);
}

uint64_t LazyEngine::FindWithResolver(const std::string& object_name) {
  if (isSymbolSearchingDisabled()) return 0;
  llvm::JITSymbol symbol = resolver_->findSymbol(object_name);
  if (!symbol) {
    if (llvm::Error error = symbol.takeError()) Fail(llvm::toString(std::move(error)));
    return 0;
  }
  llvm::Expected<llvm::JITTargetAddress> address = symbol.getAddress();
  if (!address) Fail(llvm::toString(address.takeError()));
  return IsOfEngine(object_name, *address) ? 0 : *address;
}

// For compiled code. After an error the name counts as undefined: the function that needs it fails.
uint64_t LazyEngine::FindForCode(const std::string& object_name) {
  const absl::StatusOr<uint64_t> address = FindOrTake(object_name, /*functions_only=*/false);
  if (!address.ok()) return 0;
  if (*address != 0) return *address;
  if (const uint64_t created = FindWithCreator(object_name)) return created;
  return FindWithResolver(object_name);
}

// As FindForCode, without what the engine for whole modules has, which has searched that itself.
uint64_t LazyEngine::FindForWhole(const std::string& object_name) {
  const uint64_t mapped = getAddressToGlobalIfAvailable(object_name);
  if (mapped != 0) return mapped;
  std::optional<TakenDefinitions::Definition> definition = definitions_.Find(object_name);
  if (!definition) {
    const Guard guard(mutex_);
    const ListedModule* const entry =
        modules_.FindAddedThatDefines(object_name, /*functions_only=*/false);
    if (entry != nullptr) Take(*entry->module);
    definition = definitions_.Find(object_name);
  }
  if (definition && definition->lazy) {
    const absl::StatusOr<uint64_t> address = AddressOf(object_name, *definition);
    return address.ok() ? *address : 0;
  }
  if (const uint64_t created = FindWithCreator(object_name)) return created;
  return FindWithResolver(object_name);
}

// MCJIT's tables have what is local to a module, too.
uint64_t LazyEngine::FindLocal(const std::string& name) {
  std::vector<ModuleId> taken;
  {
    const Guard guard(mutex_);
    taken = taken_;
  }
  for (const ModuleId id : taken) {
    const absl::StatusOr<void*> address = lazy_->LookupAddress(id, name);
    if (address.ok()) return reinterpret_cast<uint64_t>(*address);
  }
  return 0;
}

uint64_t LazyEngine::AddressByName(const std::string& name, bool functions_only) {
  const std::string object_name = ObjectNameOf(name, getDataLayout());
  absl::StatusOr<uint64_t> found = FindOrTake(object_name, functions_only);
  if (!found.ok()) Fail(std::string(found.status().message()));
  uint64_t address = *found;
  if (address == 0) address = FindLocal(object_name);
  if (address == 0) address = FindWithCreator(object_name);
  if (address != 0) TakeWhatIsNeeded();
  return address;
}

uint64_t LazyEngine::getGlobalValueAddress(const std::string& name) {
  return AddressByName(name, /*functions_only=*/false);
}

uint64_t LazyEngine::getFunctionAddress(const std::string& name) {
  return AddressByName(name, /*functions_only=*/true);
}

void* LazyEngine::getPointerToFunction(llvm::Function* function) {
  if (function->isDeclaration() || function->hasAvailableExternallyLinkage()) {
    void* const address =
        getPointerToNamedFunction(function->getName(), !function->hasExternalWeakLinkage());
    updateGlobalMapping(function, address);
    return address;
  }
  std::optional<ModuleId> lazy;
  {
    const Guard guard(mutex_);
    const ListedModule* const entry = TakeIfKnown(function->getParent());
    if (entry == nullptr) return nullptr;
    if (entry->state == ListedModule::State::kWhole) return Whole().getPointerToFunction(function);
    lazy = entry->id;
  }
  const std::string name = ObjectNameOf(*function);
  absl::StatusOr<void*> address = absl::NotFoundError("");
  // A weak definition may have given way to another module's.
  if (function->hasLocalLinkage()) {
    address = lazy_->LookupAddress(*lazy, std::string(function->getName()));
  } else if (const std::optional<TakenDefinitions::Definition> definition =
                 definitions_.Find(name)) {
    const absl::StatusOr<uint64_t> found = AddressOf(name, *definition);
    if (!found.ok()) Fail(std::string(found.status().message()));
    return reinterpret_cast<void*>(*found);
  }
  return address.ok() ? *address : nullptr;
}

void* LazyEngine::getPointerToNamedFunction(llvm::StringRef name, bool abort_on_failure) {
  const std::string object_name = name.str();
  if (!isSymbolSearchingDisabled()) {
    const absl::StatusOr<uint64_t> found = FindOrTake(object_name, /*functions_only=*/false);
    uint64_t address = found.ok() ? *found : 0;
    if (address == 0) address = FindWithResolver(object_name);
    if (address != 0) return reinterpret_cast<void*>(address);
  }
  const uint64_t created = FindWithCreator(object_name);
  if (created != 0) return reinterpret_cast<void*>(created);
  if (abort_on_failure) FailUnresolved(object_name);
  return nullptr;
}

char* LazyEngine::getMemoryForGV(const llvm::GlobalVariable* variable) {
  const std::string name = ObjectNameOf(*variable);
  std::optional<ModuleId> own;
  if (!variable->isDeclaration()) {
    const Guard guard(mutex_);
    const llvm::Module* const module = variable->getParent();
    const bool is_known = modules_.Find(module) != nullptr;
    const ListedModule* const taken = TakeIfKnown(module);
    // The client has removed the module meanwhile, and perhaps destroyed it with the variable.
    if (is_known && taken == nullptr) return nullptr;
    if (taken != nullptr && taken->state == ListedModule::State::kLazy) own = taken->id;
  }
  // The caller, getPointerToGlobal, holds `lock`. Another thread that compiles may need `lock` to
  // find a name while this thread waits for its data.
  lock.unlock();
  uint64_t address = 0;
  if (variable->hasLocalLinkage() && own) {
    const absl::StatusOr<void*> found =
        lazy_->LookupAddress(*own, std::string(variable->getName()));
    if (found.ok()) address = reinterpret_cast<uint64_t>(*found);
  } else {
    address = FindForCode(name);
  }
  lock.lock();
  if (address != 0) updateGlobalMapping(name, address);
  return nullptr;
}

// --- Running ---

// MCJIT's set of signatures.
llvm::GenericValue LazyEngine::runFunction(llvm::Function* function,
                                           llvm::ArrayRef<llvm::GenericValue> arguments) {
  void* const address = getPointerToFunction(function);
  if (address == nullptr) Fail("A function whose module is not in the engine cannot be run!");
  TakeWhatIsNeeded();
  return CallAddress(address, *function->getFunctionType(), arguments);
}

void LazyEngine::runStaticConstructorsDestructors(bool are_destructors) {
  std::vector<llvm::Module*> modules;
  {
    const Guard guard(mutex_);
    for (const ListedModule& entry : modules_.entries()) modules.push_back(entry.module);
  }
  for (llvm::Module* module : modules) runStaticConstructorsDestructors(*module, are_destructors);
}

// --- What the engine for whole modules does ---

void LazyEngine::addObjectFile(std::unique_ptr<llvm::object::ObjectFile> object) {
  const Guard guard(mutex_);
  unbound_.AddObject(*object);
  Whole().addObjectFile(std::move(object));
}

void LazyEngine::addObjectFile(llvm::object::OwningBinary<llvm::object::ObjectFile> object) {
  const Guard guard(mutex_);
  unbound_.AddObject(*object.getBinary());
  Whole().addObjectFile(std::move(object));
}

void LazyEngine::addArchive(llvm::object::OwningBinary<llvm::object::Archive> archive) {
  const Guard guard(mutex_);
  unbound_.AddArchive(*archive.getBinary());
  Whole().addArchive(std::move(archive));
}

void LazyEngine::RegisterJITEventListener(llvm::JITEventListener* listener) {
  if (listener == nullptr) return;
  const Guard guard(mutex_);
  notifier_->Add(listener);
  whole_.AddListener(listener);
}

void LazyEngine::UnregisterJITEventListener(llvm::JITEventListener* listener) {
  if (listener == nullptr) return;
  const Guard guard(mutex_);
  notifier_->Remove(listener);
  whole_.RemoveListener(listener);
}

void LazyEngine::setObjectCache(llvm::ObjectCache* cache) {
  const Guard guard(mutex_);
  whole_.SetObjectCache(cache);
}

void LazyEngine::setProcessAllSections(bool process_all_sections) {
  const Guard guard(mutex_);
  whole_.SetProcessAllSections(process_all_sections);
}

// Sections of functions that are compiled later have no addresses that a client could map.
void LazyEngine::mapSectionAddress(const void* local_address, uint64_t target_address) {
  const Guard guard(mutex_);
  if (whole_.get() != nullptr) whole_.get()->mapSectionAddress(local_address, target_address);
}

}  // namespace firstcall

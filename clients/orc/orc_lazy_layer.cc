// The protocol with ORC: `emit` is responsible for all symbols of a module. It gives the functions
// to the engine and answers with the addresses of their stubs; the rest of the module becomes a
// materialization unit of its own, which is materialized when ORC needs one of its symbols.
//
// The engine asks for names while it compiles (FindSymbol), and the answer may have ORC materialize
// something on other threads. These never wait for what the engine compiles or links: all they ask
// the engine for is to add a module, and for addresses of stubs.

#include "clients/orc/orc_lazy_layer.h"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/floating_point_environment.h"
#include "base/ids.h"
#include "clients/orc/engine_target.h"
#include "clients/orc/module_division.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Target/TargetMachine.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

using llvm::orc::ExecutionSession;
using llvm::orc::ExecutorAddr;
using llvm::orc::ExecutorSymbolDef;
using llvm::orc::IRLayer;
using llvm::orc::JITDylib;
using llvm::orc::JITTargetMachineBuilder;
using llvm::orc::MaterializationResponsibility;
using llvm::orc::ResourceKey;
using llvm::orc::SymbolStringPtr;
using llvm::orc::ThreadSafeModule;

llvm::StringRef ToRef(absl::string_view text) { return {text.data(), text.size()}; }

llvm::Error ErrorOf(const absl::Status& status) {
  return llvm::make_error<llvm::StringError>(std::string(status.message()),
                                             llvm::inconvertibleErrorCode());
}

// The rest of a module, which is materialized by the layer below.
class RestUnit final : public llvm::orc::IRMaterializationUnit {
 public:
  RestUnit(IRLayer& base, ThreadSafeModule module, Interface interface,
           SymbolNameToDefinitionMap definitions)
      : IRMaterializationUnit(std::move(module), std::move(interface), std::move(definitions)),
        base_(base) {}

 private:
  void materialize(std::unique_ptr<MaterializationResponsibility> responsibility) override {
    base_.emit(std::move(responsibility), std::move(TSM));
  }

  IRLayer& base_;
};

// Gives access to the layer that modules of an LLJIT are added to, which prepares constructors for
// the platform.
struct FirstLayer : llvm::orc::LLJIT {
  static IRLayer& Of(LLJIT& jit) { return *(jit.*&FirstLayer::InitHelperTransformLayer); }
};

}  // namespace

struct OrcLazyLayer::Parts {
  Parts(ExecutionSession& session, IRLayer& base, const llvm::TargetMachine& machine,
        bool checks_names)
      : session(session),
        base(base),
        layout(machine.createDataLayout()),
        emulates_thread_locals(machine.useEmulatedTLS()),
        checks_names(checks_names) {}

  absl::Status Start(EngineOptions options, ExecutorAddr error_handler);
  void* FindSymbol(absl::string_view name, absl::string_view library);
  // Says that the engine gets a module of the dylib, or has one less.
  void BeginModule(JITDylib& dylib);
  void EndModules(const JITDylib& dylib, size_t count);
  std::string PrefixOf(const MaterializationResponsibility& responsibility);
  llvm::Error CheckNames(const MaterializationResponsibility& responsibility,
                         const std::vector<std::string>& names);
  llvm::Error GiveToEngine(MaterializationResponsibility& responsibility,
                           const DividedModule& divided, const std::string& name);
  llvm::Error KeepRest(MaterializationResponsibility& responsibility,
                       std::unique_ptr<llvm::Module> rest, llvm::orc::ThreadSafeContext context);
  llvm::Error Materialize(MaterializationResponsibility& responsibility, DividedModule divided,
                          const std::string& name, llvm::orc::ThreadSafeContext context);

  // A dylib that has modules in the engine: until the engine has removed them, an optimized body
  // may be compiled.
  struct Library {
    llvm::orc::JITDylibSP dylib;
    size_t modules = 0;
  };

  ExecutionSession& session;
  IRLayer& base;
  const llvm::DataLayout layout;
  const bool emulates_thread_locals;
  const bool checks_names;
  std::unique_ptr<Engine> engine;
  std::atomic<uint64_t> next_prefix{0};

  std::mutex mutex;  // Guards the rest. ORC's mutex may be held when this one is locked.
  std::map<std::string, Library, std::less<>> libraries;  // By the names of dylibs.
  std::map<ResourceKey, std::vector<ModuleId>> modules;
};

absl::Status OrcLazyLayer::Parts::Start(EngineOptions options, ExecutorAddr error_handler) {
  options.mode = Mode::kLazy;
  options.search_process_symbols = false;
  options.search_other_libraries = false;
  options.symbol_finder = nullptr;
  options.library_symbol_finder = [this](absl::string_view name, absl::string_view library) {
    return FindSymbol(name, library);
  };
  options.failure_handler = [this, error_handler](const FailedCall& call) -> void* {
    session.reportError(ErrorOf(call.status));
    return error_handler.toPtr<void*>();
  };
  absl::StatusOr<std::unique_ptr<Engine>> created = Engine::Create(std::move(options));
  if (!created.ok()) return created.status();
  engine = *std::move(created);
  return absl::OkStatus();
}

void* OrcLazyLayer::Parts::FindSymbol(absl::string_view name, absl::string_view library) {
  // ORC's layers may compile now.
  const CompilerFloatingPoint floating_point;
  llvm::orc::JITDylibSP dylib;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = libraries.find(library);
    if (found == libraries.end()) return nullptr;
    dylib = found->second.dylib;
  }
  llvm::orc::JITDylibSearchOrder order;
  dylib->withLinkOrderDo([&](const llvm::orc::JITDylibSearchOrder& links) { order = links; });
  const SymbolStringPtr symbol = session.intern(ToRef(name == kDylibHandle ? kDsoHandle : name));
  llvm::Expected<llvm::orc::SymbolMap> found = session.lookup(
      order,
      llvm::orc::SymbolLookupSet(symbol, llvm::orc::SymbolLookupFlags::WeaklyReferencedSymbol));
  if (!found) {
    session.reportError(found.takeError());
    return nullptr;
  }
  const auto definition = found->find(symbol);
  return definition == found->end() ? nullptr : definition->second.getAddress().toPtr<void*>();
}

void OrcLazyLayer::Parts::BeginModule(JITDylib& dylib) {
  const std::lock_guard<std::mutex> lock(mutex);
  Library& library = libraries[dylib.getName()];
  library.dylib = &dylib;
  ++library.modules;
}

void OrcLazyLayer::Parts::EndModules(const JITDylib& dylib, size_t count) {
  llvm::orc::JITDylibSP last;  // Is destroyed when the mutex is free.
  const std::lock_guard<std::mutex> lock(mutex);
  const auto library = libraries.find(dylib.getName());
  library->second.modules -= count;
  if (library->second.modules > 0) return;
  last = std::move(library->second.dylib);
  libraries.erase(library);
}

// The same for the same module in each process, so that objects of a cache are found again. Strong
// definitions of a dylib have names of their own, so that others do not get the prefix.
std::string OrcLazyLayer::Parts::PrefixOf(const MaterializationResponsibility& responsibility) {
  uint64_t sum = 0;
  for (const auto& [name, flags] : responsibility.getSymbols()) {
    if (flags.isStrong() && name != responsibility.getInitializerSymbol()) {
      sum += llvm::xxh3_64bits(*name);
    }
  }
  return sum != 0 ? absl::StrFormat("firstcall.%016x.", sum)
                  : absl::StrCat("firstcall.", ++next_prefix, ".");
}

llvm::Error OrcLazyLayer::Parts::CheckNames(const MaterializationResponsibility& responsibility,
                                            const std::vector<std::string>& names) {
  llvm::orc::SymbolLookupSet symbols;
  for (const std::string& name : names) {
    symbols.add(session.intern(name == kDylibHandle ? ToRef(kDsoHandle) : name));
  }
  llvm::orc::JITDylibSearchOrder order;
  responsibility.getTargetJITDylib().withLinkOrderDo(
      [&](const llvm::orc::JITDylibSearchOrder& links) { order = links; });
  return session.lookupFlags(llvm::orc::LookupKind::Static, std::move(order), std::move(symbols))
      .takeError();
}

llvm::Error OrcLazyLayer::Parts::GiveToEngine(MaterializationResponsibility& responsibility,
                                              const DividedModule& divided,
                                              const std::string& name) {
  JITDylib& dylib = responsibility.getTargetJITDylib();
  BeginModule(dylib);
  const absl::StatusOr<ModuleId> added =
      engine->AddBitcode(divided.functions, name, dylib.getName());
  if (!added.ok()) {
    EndModules(dylib, 1);
    return ErrorOf(added.status());
  }
  if (llvm::Error error = responsibility.withResourceKeyDo([&](ResourceKey key) {
        const std::lock_guard<std::mutex> lock(mutex);
        modules[key].push_back(*added);
      })) {
    (void)engine->Remove(*added);  // The tracker was removed meanwhile.
    EndModules(dylib, 1);
    return error;
  }
  llvm::orc::SymbolNameSet symbols;
  llvm::orc::SymbolMap addresses;
  for (const std::string& defined : divided.defined) {
    SymbolStringPtr symbol = session.intern(defined);
    const auto found = responsibility.getSymbols().find(symbol);
    if (found == responsibility.getSymbols().end()) continue;
    const absl::StatusOr<void*> stub = engine->LookupAddress(*added, defined);
    if (!stub.ok()) return ErrorOf(stub.status());
    addresses[symbol] = ExecutorSymbolDef(ExecutorAddr::fromPtr(*stub), found->second);
    symbols.insert(std::move(symbol));
  }
  if (symbols.empty()) return llvm::Error::success();
  llvm::Expected<std::unique_ptr<MaterializationResponsibility>> functions =
      responsibility.delegate(symbols);
  if (!functions) return functions.takeError();
  llvm::Error error = (*functions)->notifyResolved(addresses);
  if (!error) error = (*functions)->notifyEmitted({});
  if (error) (*functions)->failMaterialization();
  return error;
}

llvm::Error OrcLazyLayer::Parts::KeepRest(MaterializationResponsibility& responsibility,
                                          std::unique_ptr<llvm::Module> rest,
                                          llvm::orc::ThreadSafeContext context) {
  if (responsibility.getSymbols().empty()) return llvm::Error::success();
  if (rest == nullptr) {
    return llvm::make_error<llvm::StringError>("symbols of a module have no definition",
                                               llvm::inconvertibleErrorCode());
  }
  std::vector<llvm::GlobalValue*> values;
  for (llvm::GlobalValue& value : rest->global_values()) {
    if (!value.isDeclaration() && !value.hasLocalLinkage() && !value.hasAppendingLinkage()) {
      values.push_back(&value);
    }
  }
  llvm::orc::SymbolFlagsMap flags;
  llvm::orc::IRMaterializationUnit::SymbolNameToDefinitionMap definitions;
  llvm::orc::IRSymbolMapper::add(session, *base.getManglingOptions(), values, flags, &definitions);
  return responsibility.replace(std::make_unique<RestUnit>(
      base, ThreadSafeModule(std::move(rest), std::move(context)),
      llvm::orc::MaterializationUnit::Interface(responsibility.getSymbols(),
                                                responsibility.getInitializerSymbol()),
      std::move(definitions)));
}

llvm::Error OrcLazyLayer::Parts::Materialize(MaterializationResponsibility& responsibility,
                                             DividedModule divided, const std::string& name,
                                             llvm::orc::ThreadSafeContext context) {
  llvm::orc::SymbolFlagsMap shared;
  for (const std::string& function : divided.shared_functions) {
    shared[session.intern(function)] = llvm::JITSymbolFlags::Callable;
  }
  std::vector<llvm::GlobalValue*> values;
  for (const std::string& definition : divided.shared_rest) {
    values.push_back(divided.rest->getNamedValue(definition));
  }
  llvm::orc::IRSymbolMapper::add(session, *base.getManglingOptions(), values, shared);
  if (llvm::Error error = responsibility.defineMaterializing(std::move(shared))) return error;
  if (checks_names) {
    if (llvm::Error error = CheckNames(responsibility, divided.needed)) return error;
  }
  if (llvm::Error error = GiveToEngine(responsibility, divided, name)) return error;
  return KeepRest(responsibility, std::move(divided.rest), std::move(context));
}

OrcLazyLayer::OrcLazyLayer(ExecutionSession& session, IRLayer& base, std::unique_ptr<Parts> parts)
    : IRLayer(session, base.getManglingOptions()), parts_(std::move(parts)) {
  session.registerResourceManager(*this);
}

llvm::Expected<std::unique_ptr<OrcLazyLayer>> OrcLazyLayer::Create(
    llvm::orc::LLJIT& jit, const JITTargetMachineBuilder& target, OrcLazyLayerOptions options) {
  return Create(jit.getExecutionSession(), FirstLayer::Of(jit), target, std::move(options));
}

llvm::Expected<std::unique_ptr<OrcLazyLayer>> OrcLazyLayer::Create(
    ExecutionSession& session, IRLayer& base, const JITTargetMachineBuilder& target,
    OrcLazyLayerOptions options) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      JITTargetMachineBuilder(target).createTargetMachine();
  if (!machine) return machine.takeError();
  auto parts = std::make_unique<Parts>(session, base, **machine, options.checks_names);
  EngineOptions engine = std::move(options.engine);
  const CodegenLevel level = engine.codegen_level;
  SetEngineTarget(**machine, engine);
  engine.codegen_level = level;
  if (const absl::Status status = parts->Start(std::move(engine), options.error_handler);
      !status.ok()) {
    return ErrorOf(status);
  }
  return std::unique_ptr<OrcLazyLayer>(new OrcLazyLayer(session, base, std::move(parts)));
}

OrcLazyLayer::~OrcLazyLayer() {
  // Exit handlers of compiled code may look names up.
  parts_->engine->RunDestructors();
  getExecutionSession().deregisterResourceManager(*this);
}

Engine& OrcLazyLayer::engine() { return *parts_->engine; }

llvm::Error OrcLazyLayer::add(llvm::orc::ResourceTrackerSP tracker, ThreadSafeModule module) {
  llvm::Error error = module.withModuleDo([&](llvm::Module& added) -> llvm::Error {
    if (added.getDataLayout().isDefault()) added.setDataLayout(parts_->layout);
    if (added.getDataLayout() == parts_->layout) return llvm::Error::success();
    return llvm::make_error<llvm::StringError>(
        absl::StrCat("module '", added.getModuleIdentifier(), "' has the data layout '",
                     added.getDataLayoutStr(), "', and the target '",
                     parts_->layout.getStringRepresentation(), "'"),
        llvm::inconvertibleErrorCode());
  });
  if (error) return error;
  return IRLayer::add(std::move(tracker), std::move(module));
}

void OrcLazyLayer::emit(std::unique_ptr<MaterializationResponsibility> responsibility,
                        ThreadSafeModule module) {
  std::string name;
  absl::StatusOr<DividedModule> divided =
      module.withModuleDo([&](llvm::Module& added) -> absl::StatusOr<DividedModule> {
        name = added.getModuleIdentifier();
        if (llvm::Error error = added.materializeAll()) {
          return absl::InvalidArgumentError(llvm::toString(std::move(error)));
        }
        return DivideModule(added, parts_->PrefixOf(*responsibility),
                            parts_->emulates_thread_locals);
      });
  if (!divided.ok()) return parts_->base.emit(std::move(responsibility), std::move(module));
  if (llvm::Error error =
          parts_->Materialize(*responsibility, *std::move(divided), name, module.getContext())) {
    getExecutionSession().reportError(std::move(error));
    responsibility->failMaterialization();
  }
}

llvm::Error OrcLazyLayer::handleRemoveResources(JITDylib& dylib, ResourceKey key) {
  std::vector<ModuleId> removed;
  {
    const std::lock_guard<std::mutex> lock(parts_->mutex);
    const auto found = parts_->modules.find(key);
    if (found == parts_->modules.end()) return llvm::Error::success();
    removed = std::move(found->second);
    parts_->modules.erase(found);
  }
  llvm::Error errors = llvm::Error::success();
  for (const ModuleId module : removed) {
    const absl::Status status = parts_->engine->Remove(module);
    if (!status.ok()) errors = llvm::joinErrors(std::move(errors), ErrorOf(status));
  }
  parts_->EndModules(dylib, removed.size());
  return errors;
}

void OrcLazyLayer::handleTransferResources(JITDylib&, ResourceKey to, ResourceKey from) {
  const std::lock_guard<std::mutex> lock(parts_->mutex);
  const auto found = parts_->modules.find(from);
  if (found == parts_->modules.end()) return;
  const std::vector<ModuleId> moved = std::move(found->second);
  parts_->modules.erase(found);
  std::vector<ModuleId>& all = parts_->modules[to];
  all.insert(all.end(), moved.begin(), moved.end());
}

}  // namespace firstcall

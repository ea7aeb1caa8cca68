#include "runtime/program/runtime.h"

#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "object/symbol_name.h"
#include "runtime/process/work_scope.h"
#include "runtime/program/detached_parts.h"
#include "runtime/program/preparation.h"
#include "seam/event.h"

namespace firstcall {

std::shared_ptr<CodeSpace> Runtime::MakeCodeSpace(std::shared_ptr<ArenaMemory> arenas,
                                                  std::shared_ptr<MemoryManager> memory,
                                                  CodeSpace::BlockObserver block_observer) {
  return std::make_shared<CodeSpace>(std::move(arenas), std::move(memory),
                                     &FunctionTable::HandleFirstCall, std::move(block_observer));
}

Runtime::Runtime(RuntimeOptions options, Compiler& compiler, ListenerGroup& listeners,
                 std::shared_ptr<CodeSpace> code_space)
    : mode_(options.mode),
      compiler_(compiler),
      listeners_(listeners),
      code_space_(std::move(code_space)),
      failures_(std::make_shared<CallFailures>(std::move(options.failure_handler))),
      definitions_(options.search_other_libraries),
      functions_(code_space_->stubs(), failures_),
      resolver_(std::move(options.outside), definitions_, functions_,
                code_space_->host_thread_locals()),
      objects_(compiler_, {[this] { return compiler_.MakeLinker(); }, options.compiler_links},
               *code_space_, resolver_, object_constructors_, listeners_),
      function_linker_({[this] { return compiler_.MakeLinker(); }, options.compiler_links},
                       resolver_, object_constructors_, *code_space_),
      optimized_cache_(resolver_, function_linker_),
      optimized_bodies_(compiler_, function_linker_, resolver_, optimized_cache_, listeners_),
      counting_bodies_(compiler_, function_linker_, resolver_, listeners_),
      promoter_(options.promotes
                    ? std::make_unique<Promoter>(options.promotion, *code_space_, functions_,
                                                 optimized_bodies_, counting_bodies_)
                    : nullptr),
      threads_(options.compile_threads),
      function_compiler_(compiler_, functions_, resolver_, objects_, function_linker_,
                         optimized_cache_, listeners_, threads_, promoter_.get(),
                         options.speculation_budget),
      program_(compiler_, definitions_, resolver_, function_compiler_, objects_,
               object_constructors_, precompiled_, exit_handlers_, threads_),
      foreign_functions_(compiler_, definitions_, resolver_, program_, threads_) {
  functions_.Connect(function_compiler_);
  resolver_.Connect(objects_, function_compiler_);
  listeners_.Add(stats_);
}

void Runtime::StoreStartObjects() {
  const ForkScope scope;
  for (const std::shared_ptr<SourceModule>& module : program_.AllModules()) {
    if (module->cache() == nullptr) continue;
    const auto is_replaced = [&](SymbolOrdinal ordinal) {
      return resolver_.IsReplaced(*module, ordinal);
    };
    for (const auto functions :
         {ModulePart::Kind::kFunction, ModulePart::Kind::kDebuggerFunction}) {
      module->start_object(functions).Store(is_replaced);
    }
  }
}

void Runtime::Stop() {
  threads_.Stop();
  if (promoter_ != nullptr) promoter_->Stop();
  exit_handlers_.DropThreads();
  // Detached code may call functions of modules that no longer exist.
  if (code_space_.use_count() > 1) functions_.RemoveAll();
}

LibraryId Runtime::LibraryNamed(absl::string_view name) {
  const ForkScope scope;
  return definitions_.LibraryNamed(name);
}

bool Runtime::MustBeFar() const {
  const ForkScope scope;
  return code_space_->MustBeFar();
}

absl::StatusOr<SourceModule*> Runtime::Add(NewModule added, absl::Duration start) {
  std::unique_ptr<OwnedCode> code = code_space_->MakeOwner();
  FIRSTCALL_ASSIGN_OR_RETURN(DsoHandle * dso_handle,
                             exit_handlers_.MakeHandle(*code, code_space_->NearFor(added.is_far)));
  auto module = std::make_shared<SourceModule>(
      added.id, std::move(added.name), added.library, mode_, added.is_far, added.is_reopenable,
      std::move(added.index), std::move(code), *dso_handle, std::move(added.cache));
  FIRSTCALL_RETURN_IF_ERROR(definitions_.Add(*module));
  SourceModule* const result = module.get();
  program_.Add(std::move(module));
  NoteAddition();
  listeners_.OnModuleAdded({result->name(), result->index(), SteadyNow() - start});
  return result;
}

void Runtime::NoteAddition() {
  objects_.NoteAddition();
  functions_.NoteAddition();
}

absl::Status Runtime::LinkWhole(SourceModule& module) { return objects_.Link(module.object()); }

absl::Status Runtime::AddObject(std::string name, ObjectBytes contents, bool is_archive_member,
                                LibraryId library) {
  FIRSTCALL_RETURN_IF_ERROR(precompiled_.Add(std::move(name), std::move(contents),
                                             is_archive_member, library, definitions_));
  NoteAddition();
  return absl::OkStatus();
}

void Runtime::Drop(absl::Span<const ModuleId> modules) {
  for (ModuleId id : modules) {
    if (std::shared_ptr<SourceModule> module = program_.Find(id)) (void)Drop(*module);
  }
}

absl::StatusOr<void*> Runtime::LookupAddress(absl::string_view name) {
  absl::StatusOr<ExecutorAddress> address;
  DelegatingWorkScope(threads_).Run([&] { address = resolver_.Lookup(name); });
  if (!address.ok()) return address.status();
  return address->InThisProcess<void*>();
}

absl::StatusOr<void*> Runtime::LookupAddress(ModuleId id, absl::string_view name) {
  const std::shared_ptr<SourceModule> module = program_.Find(id);
  if (module == nullptr) return absl::NotFoundError("there is no such module");
  absl::StatusOr<ExecutorAddress> address;
  DelegatingWorkScope(threads_).Run([&] {
    // Beginning to work may have waited for its removal.
    address = module->is_removed()
                  ? absl::NotFoundError(absl::StrCat("'", module->name(), "' was removed"))
                  : resolver_.LookupIn(*module, name);
  });
  if (!address.ok()) return address.status();
  return address->InThisProcess<void*>();
}

absl::Status Runtime::Call(absl::string_view name, const ForeignValue& result,
                           absl::Span<const ForeignValue> arguments) {
  return Annotate(foreign_functions_.Call(name, result, arguments),
                  absl::StrCat("calling '", name, "'"));
}

absl::StatusOr<std::vector<FunctionKey>> Runtime::FunctionsNamed(
    absl::Span<const absl::string_view> names) {
  std::vector<FunctionKey> functions;
  for (absl::string_view name : names) {
    std::optional<Definition> found = definitions_.Find(name);
    if (!found) {
      const std::vector<FunctionKey> locals = program_.LocalFunctionsNamed(name);
      if (locals.empty()) {
        return absl::NotFoundError(absl::StrCat("preparing '", name, "': no module defines it"));
      }
      functions.insert(functions.end(), locals.begin(), locals.end());
      continue;
    }
    if (found->module == nullptr || !program_.IsFunction(*found)) {
      FIRSTCALL_RETURN_IF_ERROR(resolver_.Lookup(name).status());
    } else {
      functions.push_back({found->module, found->ordinal});
    }
  }
  return functions;
}

// The WorkScope keeps the listed modules until the preparation holds them itself.
absl::Status Runtime::Prepare(
    absl::FunctionRef<absl::StatusOr<std::vector<FunctionKey>>()> list_functions,
    const PrepareOptions& prepare_options) {
  std::optional<Preparation> preparation;
  {
    WorkScope scope;
    FIRSTCALL_ASSIGN_OR_RETURN(std::vector<FunctionKey> listed, list_functions());
    preparation.emplace(std::move(listed), prepare_options, program_, promoter_.get());
  }
  return preparation->Run(threads_);
}

absl::Status Runtime::Prepare(absl::Span<const absl::string_view> names,
                              const PrepareOptions& options) {
  return Prepare([&] { return FunctionsNamed(names); }, options);
}

absl::Status Runtime::PrepareAll(const PrepareOptions& options) {
  return Prepare([&] { return program_.AllFunctions(); }, options);
}

absl::StatusOr<std::shared_ptr<SourceModule>> Runtime::ModuleToEnd(ModuleId id,
                                                                   absl::string_view verb) {
  if (WorkScope::IsAtWork()) {
    return absl::FailedPreconditionError(
        absl::StrCat(verb,
                     " a module: not possible while the calling thread has unfinished work in "
                     "the engine"));
  }
  std::shared_ptr<SourceModule> module = program_.ClaimForRemoval(id);
  if (module == nullptr) {
    return absl::NotFoundError(absl::StrCat(verb, " module ", id.value, ": there is none"));
  }
  return module;
}

// Call this in an ExclusiveWorkScope. NotFound if another thread has removed the module first.
absl::Status Runtime::Forget(SourceModule& module, bool is_detached) {
  if (program_.Remove(module.id()) == nullptr) {
    return absl::NotFoundError(absl::StrCat("'", module.name(), "' was removed meanwhile"));
  }
  definitions_.Remove(module);
  foreign_functions_.Remove(module.id());
  function_compiler_.Remove(module);
  objects_.NoteRemoval();
  compiler_.Remove(module.id());
  module.SetRemoved();
  listeners_.OnRemoved({module.name(), module.object().code().code_bytes(), is_detached});
  return absl::OkStatus();
}

absl::Status Runtime::Remove(ModuleId id) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<SourceModule> module, ModuleToEnd(id, "removing"));
  const absl::Cleanup ended = [&] { program_.ReleaseClaim(id); };
  program_.RunDestructorsOf(*module);
  BindShared(*module);
  return Drop(*module);
}

void Runtime::BindShared(SourceModule& module) {
  WorkScope scope;
  for (const ModuleId user : module.weak_choices().users()) {
    const std::shared_ptr<SourceModule> other = program_.Find(user);
    if (other != nullptr) resolver_.BindReplaced(*other, module);
  }
}

// Runs none of the module's code.
absl::Status Runtime::Drop(SourceModule& module) {
  ExclusiveWorkScope scope;
  FIRSTCALL_RETURN_IF_ERROR(Forget(module, /*is_detached=*/false));
  const bool is_shared = SharesVariables(module);
  functions_.Remove(
      module, [&](SymbolOrdinal function) { return resolver_.SuccessorOf(module, function); });
  if (promoter_ != nullptr) promoter_->Remove(module);
  if (is_shared) module.object().GiveUpUnfinished();
  module.object().unfinished = nullptr;
  module.object().dso_handle.dynamic_symbols = nullptr;
  // Handlers that were registered after the destructors ran would be called without their code.
  exit_handlers_.Move(module.object().dso_handle, handlers_of_removed_);
  handlers_of_removed_.Close();
  if (is_shared) {
    shared_code_.push_back(std::move(module.object().owned_code));
  } else {
    module.object().owned_code = nullptr;
  }
  return absl::OkStatus();
}

bool Runtime::SharesVariables(const SourceModule& removed) {
  bool shares = false;
  for (const ModuleId user : removed.weak_choices().users()) {
    const std::shared_ptr<SourceModule> module = program_.Find(user);
    if (module == nullptr) continue;
    shares |= module->weak_choices().Forget(removed, [&](SymbolOrdinal definition) {
      return SymbolResolver::MustStay(*module, definition);
    });
  }
  return shares;
}

absl::Status Runtime::CompileAll(SourceModule& module) {
  if (module.mode() == Mode::kEager) return absl::OkStatus();
  return Prepare([&] { return program_.FunctionsOf(module); }, PrepareOptions());
}

// Links the module's data that other modules can name. Data that only the module's code names was
// linked with that code.
absl::StatusOr<SymbolAddresses> Runtime::AddressesOf(SourceModule& module) {
  SymbolAddresses addresses;
  WorkScope scope;
  if (module.is_removed()) {
    return absl::FailedPreconditionError(
        absl::StrCat("detaching '", module.name(), "': the module was removed"));
  }
  for (uint32_t i = 0; i < module.index().size(); ++i) {
    const SymbolOrdinal ordinal{i};
    const Symbol& symbol = module.index().at(ordinal);
    if (!symbol.is_definition || resolver_.IsReplaced(module, ordinal)) continue;
    if (module.mode() == Mode::kLazy && symbol.kind == SymbolKind::kIFunc) {
      FIRSTCALL_RETURN_IF_ERROR(
          function_compiler_.Compile({&module, ordinal}, CompileReason::kOrdered).status());
    }
    if (symbol.is_local || symbol.is_thread_local) continue;
    FIRSTCALL_ASSIGN_OR_RETURN(addresses[symbol.name],
                               resolver_.AddressOf(module, ordinal, ReferenceKind::kStub));
  }
  for (const AssemblySymbol& symbol : module.index().assembly_symbols()) {
    if (!symbol.is_global) continue;
    FIRSTCALL_ASSIGN_OR_RETURN(addresses[symbol.name], resolver_.LookupIn(module, symbol.name));
  }
  return addresses;
}

absl::StatusOr<std::unique_ptr<DetachedCode>> Runtime::Detach(ModuleId id) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<SourceModule> module, ModuleToEnd(id, "detaching"));
  const absl::Cleanup ended = [&] { program_.ReleaseClaim(id); };
  if (program_.MustBeConstructed(*module)) {
    return absl::FailedPreconditionError(
        absl::StrCat("detaching '", module->name(), "': its constructors have not run"));
  }
  FIRSTCALL_RETURN_IF_ERROR(CompileAll(*module));
  auto detached = std::make_unique<DetachedCode::Parts>();
  detached->name = module->name();
  detached->code_space = code_space_;
  detached->failures = failures_;
  FIRSTCALL_ASSIGN_OR_RETURN(detached->addresses, AddressesOf(*module));
  FIRSTCALL_ASSIGN_OR_RETURN(detached->destructors, program_.TakeDestructorsOf(*module));
  {
    BindShared(*module);
    ExclusiveWorkScope scope;
    FIRSTCALL_RETURN_IF_ERROR(Forget(*module, /*is_detached=*/true));
    (void)SharesVariables(*module);  // They last as long as the detached code.
    detached->stubs = functions_.Detach(*module);
    if (promoter_ != nullptr) detached->counters = promoter_->Detach(*module);
    module->object().dso_handle.dynamic_symbols = nullptr;
    exit_handlers_.Move(module->object().dso_handle, detached->exit_handlers);
    module->object().GiveUpUnfinished();
    detached->code = std::move(module->object().owned_code);
  }
  return std::make_unique<DetachedCode>(std::move(detached));
}

absl::StatusOr<int> Runtime::RunMain(absl::Span<const std::string> arguments,
                                     absl::string_view entry) {
  return program_.RunMain(arguments, entry);
}

absl::Status Runtime::CheckMain(absl::string_view entry) {
  WorkScope scope;
  return program_.CheckMain(entry);
}

Stats Runtime::Collect() const {
  const ForkScope scope;
  Stats stats = stats_.Collect();
  stats.stubs_made = code_space_->stubs().size();
  if (promoter_ != nullptr) stats.promotions = promoter_->Collect();
  stats.memory = code_space_->arenas().usage();
  return stats;
}

}  // namespace firstcall

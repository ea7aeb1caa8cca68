#include "runtime/program/module_removal.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "object/symbol_name.h"
#include "runtime/process/work_scope.h"
#include "runtime/program/detached_parts.h"
#include "runtime/program/function_lists.h"
#include "runtime/program/preparation.h"
#include "seam/event.h"
#include "seam/options.h"
#include "seam/symbol_index.h"

namespace firstcall {

absl::StatusOr<std::shared_ptr<SourceModule>> ModuleRemoval::Claim(ModuleId id,
                                                                   absl::string_view verb) {
  if (WorkScope::IsAtWork()) {
    return absl::FailedPreconditionError(
        absl::StrCat(verb,
                     " a module: not possible while the calling thread has unfinished work in "
                     "the engine"));
  }
  std::shared_ptr<SourceModule> module = modules_.ClaimForRemoval(id);
  if (module == nullptr) {
    return absl::NotFoundError(absl::StrCat(verb, " module ", id.value, ": there is none"));
  }
  return module;
}

absl::Status ModuleRemoval::Forget(SourceModule& module, bool is_detached) {
  if (modules_.Remove(module.id()) == nullptr) {
    return absl::NotFoundError(absl::StrCat("'", module.name(), "' was removed meanwhile"));
  }
  linkage_.Remove(module);
  foreign_functions_.Remove(module.id());
  function_compiler_.Remove(module);
  compiler_.Remove(module.id());
  module.SetRemoved();
  listeners_.OnRemoved({module.name(), module.object().code().code_bytes(), is_detached});
  return absl::OkStatus();
}

absl::Status ModuleRemoval::Remove(ModuleId id) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<SourceModule> module, Claim(id, "removing"));
  const absl::Cleanup ended = [&] { modules_.ReleaseClaim(id); };
  FIRSTCALL_RETURN_IF_ERROR(program_.CheckMayBeRemoved(*module));
  program_.RunDestructorsOf(*module);
  BindShared(*module);
  return Drop(*module);
}

std::vector<std::shared_ptr<SourceModule>> ModuleRemoval::UsersOf(
    const SourceModule& module) const {
  std::vector<std::shared_ptr<SourceModule>> users;
  for (const ModuleId id : module.weak_choices().users()) {
    if (std::shared_ptr<SourceModule> user = modules_.Find(id)) users.push_back(std::move(user));
  }
  return users;
}

void ModuleRemoval::BindShared(SourceModule& module) {
  WorkScope scope;
  for (const std::shared_ptr<SourceModule>& user : UsersOf(module)) {
    linkage_.resolver().BindReplaced(*user, module);
  }
}

bool ModuleRemoval::SharesVariables(const SourceModule& removed) {
  bool shares = false;
  for (const std::shared_ptr<SourceModule>& user : UsersOf(removed)) {
    shares |= user->weak_choices().Forget(removed, [&](SymbolOrdinal definition) {
      return SymbolResolver::MustStay(*user, definition);
    });
  }
  return shares;
}

absl::Status ModuleRemoval::Drop(SourceModule& module) {
  ExclusiveWorkScope scope;
  FIRSTCALL_RETURN_IF_ERROR(Forget(module, /*is_detached=*/false));
  const bool is_shared = SharesVariables(module);
  linkage_.functions().Remove(module, [&](SymbolOrdinal function) {
    return linkage_.resolver().SuccessorOf(module, function);
  });
  if (promoter_ != nullptr) promoter_->Remove(module);
  removed_code_.Take(module.object(), exit_handlers_, is_shared);
  return absl::OkStatus();
}

absl::Status ModuleRemoval::CompileAll(SourceModule& module) {
  if (module.mode() == Mode::kEager) return absl::OkStatus();
  return PrepareFunctions([&] { return FunctionsOf(module, linkage_.resolver()); },
                          PrepareOptions(), program_, promoter_, threads_);
}

// Links the module's data that other modules can name. Data that only the module's code names was
// linked with that code.
absl::StatusOr<SymbolAddresses> ModuleRemoval::AddressesOf(SourceModule& module) {
  SymbolResolver& resolver = linkage_.resolver();
  SymbolAddresses addresses;
  WorkScope scope;
  if (module.is_removed()) {
    return absl::FailedPreconditionError(
        absl::StrCat("detaching '", module.name(), "': the module was removed"));
  }
  for (uint32_t i = 0; i < module.index().size(); ++i) {
    const SymbolOrdinal ordinal{i};
    const Symbol& symbol = module.index().at(ordinal);
    if (!symbol.is_definition || resolver.IsReplaced(module, ordinal)) continue;
    if (module.mode() == Mode::kLazy && symbol.kind == SymbolKind::kIFunc) {
      FIRSTCALL_RETURN_IF_ERROR(
          function_compiler_.Compile({&module, ordinal}, CompileReason::kOrdered).status());
    }
    if (symbol.is_local || symbol.is_thread_local) continue;
    FIRSTCALL_ASSIGN_OR_RETURN(addresses[symbol.name],
                               resolver.AddressOf(module, ordinal, ReferenceKind::kStub));
  }
  for (const AssemblySymbol& symbol : module.index().assembly_symbols()) {
    if (!symbol.is_global) continue;
    FIRSTCALL_ASSIGN_OR_RETURN(const DynamicSymbols::Found found,
                               resolver.LookupIn(module, symbol.name));
    addresses[symbol.name] = found.address;
  }
  return addresses;
}

absl::StatusOr<std::unique_ptr<DetachedCode>> ModuleRemoval::Detach(ModuleId id) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<SourceModule> module, Claim(id, "detaching"));
  const absl::Cleanup ended = [&] { modules_.ReleaseClaim(id); };
  if (modules_.construction().IsUnfinished(*module)) {
    return absl::FailedPreconditionError(
        absl::StrCat("detaching '", module->name(), "': its constructors have not run"));
  }
  FIRSTCALL_RETURN_IF_ERROR(program_.CheckMayBeDetached(*module));
  FIRSTCALL_RETURN_IF_ERROR(CompileAll(*module));
  auto detached = std::make_unique<DetachedCode::Parts>();
  detached->name = module->name();
  detached->code_space = code_space_;
  detached->failures = linkage_.failures();
  FIRSTCALL_ASSIGN_OR_RETURN(detached->addresses, AddressesOf(*module));
  FIRSTCALL_ASSIGN_OR_RETURN(detached->destructors, program_.TakeDestructorsOf(*module));
  {
    BindShared(*module);
    ExclusiveWorkScope scope;
    FIRSTCALL_RETURN_IF_ERROR(Forget(*module, /*is_detached=*/true));
    (void)SharesVariables(*module);  // They last as long as the detached code.
    detached->stubs = linkage_.functions().Detach(*module);
    if (promoter_ != nullptr) detached->counters = promoter_->Detach(*module);
    module->object().dso_handle.dynamic_symbols = nullptr;
    exit_handlers_.Move(module->object().dso_handle, detached->exit_handlers);
    module->object().GiveUpUnfinished();
    detached->code = std::move(module->object().owned_code);
  }
  return std::make_unique<DetachedCode>(std::move(detached));
}

}  // namespace firstcall

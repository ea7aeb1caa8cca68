#include "runtime/link/symbol_resolver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/end_watch.h"
#include "base/status.h"
#include "object/symbol_name.h"
#include "runtime/process/exit_handlers.h"
#include "runtime/process/exit_hook.h"
#include "runtime/process/host_thread_locals.h"
#include "runtime/process/process_symbols.h"
#include "runtime/process/work_scope.h"
#include "seam/event.h"

namespace firstcall {
namespace {

constexpr absl::string_view kExit = "exit";

bool IsCode(SymbolKind kind) { return kind == SymbolKind::kFunction || kind == SymbolKind::kIFunc; }

bool MayHaveFunctionInstead(absl::string_view name) {
  return name == kExit || name == kDlsym || name == kDlvsym || name == kDRegistry ||
         HandlerInstallers::Include(name);
}

void RegisterNothing(void*) {}

// Whether the function may end single threads, or have the system end them.
bool MayEndThreads(absl::string_view name) {
  return name == "syscall" || name == "prctl" || name == "seccomp_load";
}

void NameOf(std::string* text, absl::string_view object_name) {
  absl::StrAppend(text, ParseReference(object_name).name);
}

// Whether a member of an archive defines the symbol, and nothing has needed the member.
bool IsLeftOut(const Definition& definition) {
  if (definition.object == nullptr || !definition.object->is_archive_member) return false;
  const LazyObject::State state = definition.object->state.load(std::memory_order_relaxed);
  return state != LazyObject::State::kLoaded && state != LazyObject::State::kBound &&
         state != LazyObject::State::kReady;
}

// The object that is to be linked before the definition is used; null if there is none, as for a
// function that is compiled when it is called.
LazyObject* ObjectOf(const Definition& definition) {
  SourceModule* const module = definition.module;
  if (module == nullptr) return definition.object;
  if (module->mode() == Mode::kEager) return &module->object();
  const SymbolIndex& index = module->index();
  const SymbolOrdinal base = index.at(definition.ordinal).base;
  const bool is_data = !IsCode(index.at(base).kind) && index.GroupOf(base).empty();
  return is_data ? &module->object() : nullptr;
}

}  // namespace

SymbolResolver::~SymbolResolver() {
  if (installs_handlers_) HandlerInstallers::Remove(*this);
}

absl::StatusOr<SymbolResolution> SymbolResolver::ResolveAll(const ElfObject& image,
                                                            LazyObject& requester,
                                                            absl::string_view needed_by) {
  SymbolResolution addresses;
  std::vector<absl::string_view> missing;
  addresses.reserve(image.undefined().size());
  for (const ElfObject::Undefined& symbol : image.undefined()) {
    absl::StatusOr<ExecutorAddress> address = Resolve(symbol, requester);
    if (!address.ok()) return Annotate(address.status(), absl::StrCat("linking ", needed_by));
    if (address->is_null()) missing.push_back(symbol.name);
    addresses.emplace(symbol.name, *address);
  }
  if (missing.empty()) return addresses;
  std::string message =
      absl::StrCat("linking ", needed_by, ": JIT session error: Symbols not found: [ ",
                   absl::StrJoin(missing, ", ", NameOf), " ]");
  for (absl::string_view symbol : missing) {
    const std::vector<absl::string_view> referrers = image.ReferrersTo(symbol);
    if (referrers.empty()) continue;
    absl::StrAppend(&message, "; '", ParseReference(symbol).name, "' is needed by '",
                    absl::StrJoin(referrers, "', '"), "'");
  }
  for (absl::string_view symbol : missing) {
    const absl::string_view name = ParseReference(symbol).name;
    if (IsBoundOfSegment(name)) {
      absl::StrAppend(
          &message, "; '", name,
          "' is a bound of an executable's segments, which compiled code does not have");
    }
    const AssemblySymbol* const in_assembly =
        requester.module == nullptr ? nullptr : requester.module->index().FindAssemblySymbol(name);
    if (in_assembly != nullptr && !in_assembly->target.empty()) {
      absl::StrAppend(&message, "; '", name, "' stands for '", in_assembly->target, "'");
    }
  }
  return absl::NotFoundError(message);
}

absl::StatusOr<ExecutorAddress> SymbolResolver::Resolve(const ElfObject::Undefined& symbol,
                                                        LazyObject& requester) {
  SymbolReference reference = ParseReference(symbol.name);
  const bool wants_control = absl::ConsumePrefix(&reference.name, kEmulatedTlsPrefix);
  if (wants_control || symbol.is_thread_local) {
    FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress descriptor,
                               ResolveThreadLocal(reference.name, requester));
    if (!wants_control || descriptor.is_null()) return descriptor;
    return outside_.thread_locals().ControlOfDescriptor(descriptor);
  }
  SourceModule* module = requester.module;
  if (reference.name == kDsoHandle) return ExecutorAddress::Of(&requester.dso_handle);
  if (module != nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(const std::optional<ExecutorAddress> own,
                               ResolveInModule(reference, *module, Storage::kProcess));
    if (own) return *own;
  }
  if (MayHaveFunctionInstead(reference.name) &&
      !definitions_.Find(reference.name, requester.library)) {
    FIRSTCALL_ASSIGN_OR_RETURN(const std::optional<ExecutorAddress> instead,
                               FunctionInstead(reference.name, requester));
    if (instead) return *instead;
  }
  // A program whose IR names the function calls the dynamic linker's, with numbers of that one.
  if (reference.name == kTlsAccessor &&
      (module == nullptr || !module->index().Find(kTlsAccessor))) {
    return HostThreadLocals::AccessorOfDescriptors();
  }
  if (reference.name == kAtexit && outside_.FindByClient(kAtexit, requester.library) == nullptr &&
      (module != nullptr || !definitions_.Find(kAtexit, requester.library))) {
    return OwnAtexit(requester);
  }
  if (MayEndThreads(reference.name)) EndWatch::Need();
  FIRSTCALL_ASSIGN_OR_RETURN(ExecutorAddress address,
                             FindOutside(reference.name, requester.library, Storage::kProcess));
  if (!address.is_null() || module == nullptr) return address;
  std::optional<SymbolOrdinal> local = module->index().FindUnlikelyLocal(reference.name);
  if (local) return AddressOf(*module, *local, reference.kind);
  // In eager mode, all labels are in the module's object.
  if (module->mode() == Mode::kEager) return address;
  return compiler_->FindLabel(*module, reference.name);
}

absl::StatusOr<ExecutorAddress> SymbolResolver::ResolveThreadLocal(absl::string_view variable,
                                                                   LazyObject& requester) {
  if (requester.module != nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(
        const std::optional<ExecutorAddress> own,
        ResolveInModule({variable, ReferenceKind::kPlain}, *requester.module, Storage::kThread));
    if (own) return *own;
  }
  return FindOutside(variable, requester.library, Storage::kThread);
}

absl::StatusOr<ExecutorAddress> SymbolResolver::OwnAtexit(LazyObject& requester) {
  absl::MutexLock lock(&own_functions_mutex_);
  if (requester.own_atexit.is_null()) {
    FIRSTCALL_ASSIGN_OR_RETURN(requester.own_atexit,
                               ExitHandlers::MakeAtexit(requester.dso_handle, requester.code()));
  }
  return requester.own_atexit;
}

// A client's symbol finder may define a function of its own. If it only finds the process's, the
// engine's takes its place.
absl::StatusOr<std::optional<ExecutorAddress>> SymbolResolver::FunctionInstead(
    absl::string_view name, LazyObject& requester) {
  if (name == kExit && requester.module != nullptr) {
    void* const chosen = outside_.FindByClient(name, requester.library);
    if (chosen != nullptr && chosen != reinterpret_cast<void*>(&std::exit)) {
      return ExecutorAddress::Of(chosen);
    }
    return ExecutorAddress::Of(reinterpret_cast<const void*>(&ExitHook::Exit));
  }
  if (name == kExit) return std::nullopt;
  const ExecutorAddress chosen = outside_.Find(name, requester.library);
  if (HandlerInstallers::Include(name)) {
    const ExecutorAddress installer = HandlerInstaller(name, chosen);
    return installer.is_null() ? chosen : installer;
  }
  if (name == kDRegistry && !chosen.is_null()) {
    return ExecutorAddress::Of(reinterpret_cast<const void*>(&RegisterNothing));
  }
  if (chosen.is_null() || !IsOfCLibrary(chosen)) return std::nullopt;
  if (name == kDlvsym) return ExecutorAddress::Of(reinterpret_cast<const void*>(&Dlvsym));
  absl::MutexLock lock(&own_functions_mutex_);
  if (requester.own_dlsym.is_null()) {
    requester.dso_handle.dynamic_symbols = this;
    requester.dso_handle.library = requester.library;
    FIRSTCALL_ASSIGN_OR_RETURN(
        requester.own_dlsym,
        ExitHandlers::MakeForwarder(ExecutorAddress::Of(reinterpret_cast<const void*>(&Dlsym)),
                                    requester.dso_handle, requester.code()));
  }
  return requester.own_dlsym;
}

ExecutorAddress SymbolResolver::HandlerInstaller(absl::string_view name, ExecutorAddress found) {
  // A client's symbol finder may find the process's.
  const bool is_process =
      !found.is_null() &&
      (found == outside_.FindInProcess(name) ||
       found == ExecutorAddress::Of(dlsym(RTLD_DEFAULT, std::string(name).c_str())));
  if (!is_process) return ExecutorAddress();
  HandlerInstallers::Add(*this);
  installs_handlers_ = true;
  return HandlerInstallers::Instead(name, found);
}

std::optional<FunctionKey> SymbolResolver::FunctionAt(ExecutorAddress address) {
  const std::optional<FunctionTable::AtAddress> found = functions_.FunctionAt(address);
  return found ? std::optional(found->key) : std::nullopt;
}

void SymbolResolver::PrepareHandler(FunctionKey function, bool may_delegate) {
  compiler_->CompileHandler(function, may_delegate);
}

// Nothing if the module only declares the symbol or does not name it, or if its object, which is
// linked, lacks it. NotFound if its data refers to a symbol that is missing.
absl::StatusOr<std::optional<ExecutorAddress>> SymbolResolver::ResolveInModule(
    SymbolReference reference, SourceModule& module, Storage storage) {
  absl::StatusOr<std::optional<ExecutorAddress>> own = FindDefinitionIn(reference, module, storage);
  if (!absl::IsNotFound(own.status())) return own;
  const LazyObject::State state = module.object().state.load(std::memory_order_relaxed);
  const bool is_linked = state == LazyObject::State::kLoaded ||
                         state == LazyObject::State::kBound || state == LazyObject::State::kReady;
  if (is_linked) return std::nullopt;
  return own;
}

absl::StatusOr<std::optional<ExecutorAddress>> SymbolResolver::FindDefinitionIn(
    SymbolReference reference, SourceModule& module, Storage storage) {
  const SymbolIndex& index = module.index();
  std::optional<SymbolOrdinal> ordinal = index.Find(reference.name);
  if (!ordinal) ordinal = index.FindLocal(reference.name);
  const Symbol symbol = ordinal ? index.at(*ordinal) : Symbol();
  if (symbol.is_definition) {
    // The counter belongs to this body, which an alias may keep when the function is replaced.
    const bool is_own = reference.kind == ReferenceKind::kHotness;
    if (!is_own && symbol.is_weak && IsReplaced(module, *ordinal)) {
      return Replacement(module, *ordinal, reference.name);
    }
    FIRSTCALL_RETURN_IF_ERROR(CheckStorage(reference.name, symbol.is_thread_local, storage));
    if (storage == Storage::kThread) return DescriptorOf(module, *ordinal);
    return AddressOf(module, *ordinal, symbol, reference.kind);
  }
  if (const AssemblySymbol* own = index.FindAssemblySymbol(reference.name)) {
    // A module whose assembly defines a thread-local variable is not linked.
    FIRSTCALL_RETURN_IF_ERROR(CheckStorage(reference.name, /*is_thread_local=*/false, storage));
    return AddressOf(module, *own);
  }
  return std::nullopt;
}

// Null if the assembly says that it is another symbol, which nothing defines.
absl::StatusOr<ExecutorAddress> SymbolResolver::AddressOf(SourceModule& module,
                                                          const AssemblySymbol& symbol) {
  FIRSTCALL_RETURN_IF_ERROR(objects_->Link(module.object()));
  const auto found = module.object().addresses.find(symbol.name);
  if (found != module.object().addresses.end()) return found->second;
  if (!symbol.target.empty()) {
    FIRSTCALL_ASSIGN_OR_RETURN(
        const std::optional<ExecutorAddress> own,
        FindDefinitionIn(ParseReference(symbol.target), module, Storage::kProcess));
    FIRSTCALL_ASSIGN_OR_RETURN(
        const ExecutorAddress target,
        own ? absl::StatusOr<ExecutorAddress>(*own)
            : FindOutside(symbol.target, module.library(), Storage::kProcess));
    return target.is_null() ? target : target + static_cast<uint64_t>(symbol.offset);
  }
  if (symbol.is_weak) {
    const std::optional<Definition> found = definitions_.Find(symbol.name, module.library());
    // Another definition has replaced it.
    if (found && found->object != &module.object()) {
      return FindOutside(symbol.name, module.library(), Storage::kProcess);
    }
  }
  return objects_->AddressIn(module.object(), symbol.name);
}

absl::StatusOr<ExecutorAddress> SymbolResolver::AddressOf(SourceModule& module,
                                                          SymbolOrdinal ordinal,
                                                          ReferenceKind kind) {
  return AddressOf(module, ordinal, module.index().at(ordinal), kind);
}

absl::StatusOr<ExecutorAddress> SymbolResolver::AddressOf(SourceModule& module,
                                                          SymbolOrdinal ordinal,
                                                          const Symbol& symbol,
                                                          ReferenceKind kind) {
  const SymbolIndex& index = module.index();
  if (module.mode() == Mode::kEager) {
    return objects_->AddressIn(module.object(), symbol.name);
  }
  if (kind == ReferenceKind::kHotness) {
    return compiler_->CounterOf({&module, ordinal});
  }
  const SymbolOrdinal base = symbol.kind == SymbolKind::kIFunc ? ordinal : symbol.base;
  const FunctionKey key{&module, base};
  const Symbol target = base == ordinal ? symbol : index.at(base);
  if (IsCode(target.kind)) {
    if (kind == ReferenceKind::kCall && symbol.offset == 0) {
      if (std::optional<ExecutorAddress> body = functions_.FinalBodyOf(key)) return *body;
    }
    // A program that has the address of a function with prefix data may read that data.
    FIRSTCALL_ASSIGN_OR_RETURN(
        ExecutorAddress identity,
        target.has_prefix && kind != ReferenceKind::kCall
            ? objects_->AddressIn(module.object(), absl::StrCat(target.name, kStubSuffix))
            : functions_.AddressOf(key));
    return identity + static_cast<uint64_t>(symbol.offset);
  }
  absl::StatusOr<ExecutorAddress> data =
      index.GroupOf(base).empty()
          ? objects_->AddressIn(module.object(), index.at(DefinerOf(module, base)).name)
          : compiler_->Compile(key, CompileReason::kOrdered);
  if (!data.ok()) return data.status();
  return *data + static_cast<uint64_t>(symbol.offset);
}

// The symbol under which the module's data defines the variable `base`.
SymbolOrdinal SymbolResolver::DefinerOf(const SourceModule& module, SymbolOrdinal base) const {
  if (!module.index().at(base).has_aliases || !IsReplaced(module, base)) return base;
  const auto is_replaced = [&](SymbolOrdinal ordinal) { return IsReplaced(module, ordinal); };
  return module.index().KeeperOf(base, is_replaced).value_or(base);
}

// Of the variable, or of the variable that an alias stands for. A module that emulates its
// variables has the control record.
absl::StatusOr<ExecutorAddress> SymbolResolver::DescriptorOf(SourceModule& module,
                                                             SymbolOrdinal ordinal) {
  const SymbolIndex& index = module.index();
  const SymbolOrdinal base = index.at(ordinal).base;
  if (!index.GroupOf(base).empty()) {
    return compiler_->Compile({&module, base}, CompileReason::kOrdered);
  }
  const std::string name(index.at(DefinerOf(module, base)).name);
  FIRSTCALL_RETURN_IF_ERROR(objects_->Link(module.object()));
  const auto control = module.object().addresses.find(absl::StrCat(kEmulatedTlsPrefix, name));
  if (control == module.object().addresses.end()) {
    return objects_->AddressIn(module.object(), name);
  }
  return outside_.thread_locals().DescriptorOfControl(control->second);
}

absl::Status SymbolResolver::CheckStorage(absl::string_view name, bool is_thread_local,
                                          Storage storage) {
  if (is_thread_local == (storage == Storage::kThread)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "symbol '", name, "' is a thread-local variable for one module and not for ", "another"));
}

// Never returns a body: only a function's own module may call a body directly.
absl::StatusOr<ExecutorAddress> SymbolResolver::AddressOf(const Definition& definition,
                                                          absl::string_view name) {
  if (definition.module == nullptr) {
    SourceModule* const of_assembly = definition.object->module;
    const AssemblySymbol* const symbol =
        of_assembly == nullptr ? nullptr : of_assembly->index().FindAssemblySymbol(name);
    return symbol == nullptr ? objects_->AddressIn(*definition.object, name)
                             : AddressOf(*of_assembly, *symbol);
  }
  FIRSTCALL_ASSIGN_OR_RETURN(const std::optional<ExecutorAddress> bound, BoundInstead(definition));
  if (bound) return *bound;
  if (definition.is_thread_local) return DescriptorOf(*definition.module, definition.ordinal);
  return AddressOf(*definition.module, definition.ordinal, ReferenceKind::kStub);
}

// What the code of the definition's module uses instead: a module that is gone had replaced it.
absl::StatusOr<std::optional<ExecutorAddress>> SymbolResolver::BoundInstead(
    const Definition& definition) {
  if (!definition.is_weak) return std::nullopt;
  return BindingOf(*definition.module, definition.ordinal);
}

// Code may have got the address while the object was being linked, which may have failed since.
absl::StatusOr<std::optional<ExecutorAddress>> SymbolResolver::BindingOf(const SourceModule& module,
                                                                         SymbolOrdinal ordinal) {
  const std::optional<WeakChoices::Binding> bound = module.weak_choices().BindingOf(ordinal);
  if (!bound) return std::nullopt;
  if (bound->object != nullptr) FIRSTCALL_RETURN_IF_ERROR(objects_->Link(*bound->object));
  return bound->address;
}

bool SymbolResolver::GivesWay(const Definition& definition) const {
  return definition.module != nullptr && Choose(*definition.module, definition.ordinal).is_replaced;
}

absl::StatusOr<ExecutorAddress> SymbolResolver::FindOutside(absl::string_view name,
                                                            LibraryId library, Storage storage) {
  if (std::optional<Definition> found = definitions_.Find(name, library);
      found && !GivesWay(*found)) {
    if (!found->refusal.empty()) {
      return absl::UnimplementedError(absl::StrCat("symbol '", name, "': ", found->refusal));
    }
    if (found->is_ambiguous) {
      return absl::UnimplementedError(
          absl::StrCat("symbol '", name, "': several modules have variables in that section"));
    }
    FIRSTCALL_RETURN_IF_ERROR(CheckStorage(name, found->is_thread_local, storage));
    return AddressOf(*found, name);
  }
  return storage == Storage::kThread ? outside_.FindThreadLocal(name, library)
                                     : outside_.Find(name, library);
}

DynamicSymbols::Found SymbolResolver::FindDynamic(absl::string_view name, LibraryId library,
                                                  Where where) {
  if (where == Where::kEverywhere) {
    const std::optional<Definition> found = definitions_.Find(name, library);
    if (found && !found->is_hidden && !IsLeftOut(*found)) {
      const absl::StatusOr<ExecutorAddress> address =
          FindOutside(name, library, found->is_thread_local ? Storage::kThread : Storage::kProcess);
      return address.ok() ? Found{*address, found->is_thread_local} : Found();
    }
    if (name == kExit) {
      return {ExecutorAddress::Of(reinterpret_cast<const void*>(&ExitHook::Exit)), false};
    }
  }
  const ExecutorAddress address = outside_.Find(name, library);
  if (HandlerInstallers::Include(name)) {
    const ExecutorAddress installer = HandlerInstaller(name, address);
    if (!installer.is_null()) return {installer, false};
  }
  return {address, false};
}

void SymbolResolver::AddTableEntries(SourceModule& module, absl::Span<const TableEntry> entries) {
  const SymbolIndex& index = module.index();
  for (const TableEntry& entry : entries) {
    const std::optional<SymbolOrdinal> ordinal = index.Find(ParseReference(entry.function).name);
    if (!ordinal) continue;
    const Symbol function = index.at(*ordinal);
    // Another definition's stub may be in the entry instead.
    const bool is_own = function.kind == SymbolKind::kFunction && function.is_definition &&
                        !(function.is_weak && IsReplaced(module, *ordinal));
    if (is_own) functions_.AddTableEntry({&module, *ordinal}, *entry.place);
  }
}

absl::StatusOr<DynamicSymbols::Found> SymbolResolver::Lookup(absl::string_view name) {
  std::optional<Definition> found = definitions_.Find(name);
  if (!found) {
    return absl::NotFoundError(absl::StrCat("symbol '", name, "' is defined by no module"));
  }
  const bool is_thread_local = found->is_thread_local;
  if (GivesWay(*found)) {
    if (!is_thread_local) return Found{outside_.FindInProcess(name), false};
    FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress descriptor,
                               outside_.FindThreadLocal(name, LibraryId()));
    return Found{descriptor, true};
  }
  FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress address, AddressOf(*found, name));
  return Found{address, is_thread_local};
}

absl::StatusOr<DynamicSymbols::Found> SymbolResolver::LookupIn(SourceModule& module,
                                                               absl::string_view name) {
  const SymbolIndex& index = module.index();
  absl::string_view variable = name;
  const bool wants_control = absl::ConsumePrefix(&variable, kEmulatedTlsPrefix);
  std::optional<SymbolOrdinal> ordinal = index.Find(variable);
  if (!ordinal) ordinal = index.FindUnlikelyLocal(variable);
  if (ordinal && index.at(*ordinal).is_definition && index.at(*ordinal).is_thread_local) {
    FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress descriptor,
                               DescriptorMeantBy(module, *ordinal));
    if (!wants_control || descriptor.is_null()) return Found{descriptor, !wants_control};
    return Found{outside_.thread_locals().ControlOfDescriptor(descriptor), false};
  }
  if (ordinal && index.at(*ordinal).is_definition) {
    FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress address,
                               IsReplaced(module, *ordinal)
                                   ? Replacement(module, *ordinal, name)
                                   : AddressOf(module, *ordinal, ReferenceKind::kStub));
    return Found{address, false};
  }
  if (const AssemblySymbol* symbol = index.FindAssemblySymbol(name)) {
    FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress address, AddressOf(module, *symbol));
    if (!address.is_null()) return Found{address, false};
  }
  return absl::NotFoundError(
      absl::StrCat("symbol '", name, "' is not defined by '", module.name(), "'"));
}

absl::StatusOr<ExecutorAddress> SymbolResolver::DescriptorMeantBy(SourceModule& module,
                                                                  SymbolOrdinal ordinal) {
  return IsReplaced(module, ordinal) ? Replacement(module, ordinal, module.index().at(ordinal).name)
                                     : DescriptorOf(module, ordinal);
}

absl::StatusOr<ExecutorAddress> SymbolResolver::AddressMeantBy(SourceModule& module,
                                                               SymbolOrdinal ordinal) {
  const Symbol symbol = module.index().at(ordinal);
  if (symbol.is_definition && !IsReplaced(module, ordinal)) {
    return AddressOf(module, ordinal, symbol, ReferenceKind::kStub);
  }
  absl::StatusOr<ExecutorAddress> address =
      symbol.is_definition ? Replacement(module, ordinal, symbol.name)
                           : FindOutside(symbol.name, module.library(), Storage::kProcess);
  if (!address.ok() || !address->is_null()) return address;
  return absl::NotFoundError(absl::StrCat("symbol '", symbol.name, "', which '", module.name(),
                                          "' refers to, is not defined"));
}

bool SymbolResolver::IsReplaced(const SourceModule& module, SymbolOrdinal ordinal) const {
  const Symbol& symbol = module.index().at(ordinal);
  if (!symbol.is_weak || symbol.is_local) return false;
  return module.weak_choices().IsReplaced(ordinal, [&] {
    const WeakChoices::Choice choice = Choose(module, ordinal);
    if (choice.by != nullptr) choice.by->weak_choices().AddUser(module.id());
    return choice;
  });
}

// As things are now.
WeakChoices::Choice SymbolResolver::Choose(const SourceModule& module,
                                           SymbolOrdinal ordinal) const {
  const Symbol& symbol = module.index().at(ordinal);
  if (!symbol.is_weak || symbol.is_local) return {};
  std::optional<Definition> found = definitions_.Find(symbol.name, module.library());
  if (found && (found->module != &module || found->ordinal != ordinal)) {
    return {true, found->module, ObjectOf(*found)};
  }
  return {!symbol.is_common && !outside_.FindInProcess(symbol.name).is_null(), nullptr};
}

absl::StatusOr<ExecutorAddress> SymbolResolver::Replacement(SourceModule& module,
                                                            SymbolOrdinal ordinal,
                                                            absl::string_view name) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::optional<ExecutorAddress> bound,
                             BindingOf(module, ordinal));
  if (bound) return *bound;
  const Storage storage =
      module.index().at(ordinal).is_thread_local ? Storage::kThread : Storage::kProcess;
  FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress address,
                             FindOutside(name, module.library(), storage));
  if (!address.is_null()) module.weak_choices().Bind(ordinal, address);
  return address;
}

void SymbolResolver::BindReplaced(SourceModule& user, SourceModule& by) {
  for (const SymbolOrdinal definition : user.weak_choices().UnboundOf(by)) {
    if (!MustStay(user, definition)) continue;
    const Symbol symbol = user.index().at(definition);
    const absl::StatusOr<Found> found = LookupIn(by, symbol.name);
    if (found.ok()) user.weak_choices().Bind(definition, found->address);
  }
}

bool SymbolResolver::MustStay(const SourceModule& user, SymbolOrdinal definition) {
  const SymbolIndex& index = user.index();
  return user.mode() == Mode::kEager || !IsCode(index.at(index.at(definition).base).kind);
}

std::optional<ExecutorAddress> SymbolResolver::SuccessorOf(const SourceModule& removed,
                                                           SymbolOrdinal function) {
  const Symbol symbol = removed.index().at(function);
  if (symbol.is_local || symbol.kind != SymbolKind::kFunction) return std::nullopt;
  const std::optional<Definition> found = definitions_.Find(symbol.name, removed.library());
  if (!found || found->module == nullptr || found->module->library() != removed.library() ||
      found->module->mode() != Mode::kLazy || !(symbol.is_weak || found->is_weak)) {
    return std::nullopt;
  }
  // Nothing but the process can replace it there.
  if (IsReplaced(*found->module, found->ordinal)) {
    const ExecutorAddress address = outside_.FindInProcess(symbol.name);
    return address.is_null() ? std::nullopt : std::optional(address);
  }
  const SymbolIndex& index = found->module->index();
  const Symbol other = index.at(found->ordinal);
  if (other.offset != 0 || index.at(other.base).kind != SymbolKind::kFunction) return std::nullopt;
  const absl::StatusOr<ExecutorAddress> stub = functions_.AddressOf({found->module, other.base});
  return stub.ok() ? std::optional(*stub) : std::nullopt;
}

}  // namespace firstcall

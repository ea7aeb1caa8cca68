#include "services/executor/executor_engine.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "base/file_contents.h"
#include "base/floating_point_environment.h"
#include "base/ids.h"
#include "base/module_contents.h"
#include "base/status.h"
#include "engine/linked_compiler.h"
#include "memory/arena_memory.h"
#include "memory/owned_code.h"
#include "memory/unwind_registry.h"
#include "object/elf_object.h"
#include "object/object_loader.h"
#include "object/symbol_name.h"
#include "runtime/process/listener_group.h"
#include "runtime/process/work_scope.h"
#include "seam/compiler.h"
#include "seam/compiler_settings.h"
#include "seam/entry_point.h"
#include "seam/symbol_index.h"
#include "services/executor/executor_client.h"
#include "services/executor/shared_memory_mapper.h"
#include "services/executor/socket_connection.h"

namespace firstcall {
namespace {

struct Module {
  ModuleId id;
  std::string name;
  std::shared_ptr<const SymbolIndex> index;
  bool is_linked = false;
  bool is_constructed = false;
  bool is_destroyed = false;
  // The addresses of its definitions once it is linked, by their names in its object.
  SymbolAddresses addresses;
  // What is there while it is linked.
  ObjectBytes bytes;
  std::unique_ptr<ElfObject> image;
  std::unique_ptr<OwnedCode> owner;
  std::unique_ptr<Linker> linker;
};

// What a name means: a definition of a module, or of the executing process, which replaces weak
// definitions of modules.
struct Meaning {
  Module* module = nullptr;  // Null: the executing process has it, at `address`.
  ExecutorAddress address;
  bool is_weak = false;
};

// A constructor or destructor of a module.
struct Step {
  Module* module;
  LifecycleFunction function;
};

// The name that a module's index has for a symbol of its object.
absl::string_view NameInIndex(absl::string_view object_name) {
  return absl::StripPrefix(ParseReference(object_name).name, kEmulatedTlsPrefix);
}

}  // namespace

class ExecutorEngine::Parts {
 public:
  Parts(std::shared_ptr<const ExecutorClient> client, std::shared_ptr<ArenaMemory> arenas)
      : client_(std::move(client)),
        arenas_(std::move(arenas)),
        unwind_registry_(std::make_shared<UnwindRegistry>(RemoteUnwinders())) {}

  ~Parts() {
    absl::MutexLock lock(&mutex_);
    for (const auto& module : modules_) compiler_->Remove(module->id);
  }

  absl::Status MakeCompiler(const ExecutorEngineOptions& options) {
    CompilerSettings settings;
    settings.target = options;
    settings.contain_crashes = options.contain_crashes;
    settings.emulates_thread_locals = true;
    FIRSTCALL_ASSIGN_OR_RETURN(
        compiler_, LinkedCompiler().Create(settings, listeners_, "code of another process"));
    return absl::OkStatus();
  }

  const ExecutorClient& client() const { return *client_; }

  absl::Status Add(ModuleContents contents) ABSL_LOCKS_EXCLUDED(mutex_) {
    const CompilerFloatingPoint floating_point;
    const WorkScope scope;
    absl::MutexLock lock(&mutex_);
    auto module = std::make_unique<Module>();
    module->id = ModuleId{next_id_++};
    module->name = contents.name;
    FIRSTCALL_ASSIGN_OR_RETURN(module->index,
                               compiler_->Add({module->id, std::move(contents), nullptr}));
    const absl::Status status = CheckDefinitions(*module);
    if (!status.ok()) {
      compiler_->Remove(module->id);
      return status;
    }
    modules_.push_back(std::move(module));
    NoteDefinitions(*modules_.back());
    return absl::OkStatus();
  }

  absl::StatusOr<ExecutorAddress> Find(absl::string_view symbol) ABSL_LOCKS_EXCLUDED(mutex_) {
    const CompilerFloatingPoint floating_point;
    const WorkScope scope;
    absl::MutexLock lock(&mutex_);
    FIRSTCALL_RETURN_IF_ERROR(LinkAll());
    return AddressOf(symbol);
  }

  // How to call `entry` as main.
  absl::StatusOr<EntryPoint> FindMain(absl::string_view entry) ABSL_LOCKS_EXCLUDED(mutex_) {
    const CompilerFloatingPoint floating_point;
    const WorkScope scope;
    absl::MutexLock lock(&mutex_);
    const auto found = meanings_.find(entry);
    if (found == meanings_.end() || found->second.module == nullptr) return NotDefined(entry);
    const Module& module = *found->second.module;
    const std::optional<SymbolOrdinal> function = module.index->Find(entry);
    if (!function) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", entry, "' cannot be called as main: assembly defines it"));
    }
    return compiler_->ReadEntryPoint(module.id, *function);
  }

  // The constructor that is to run next, and counts as run from now on; null if there is none.
  absl::StatusOr<ExecutorAddress> TakeConstructor() ABSL_LOCKS_EXCLUDED(mutex_) {
    const CompilerFloatingPoint floating_point;
    const WorkScope scope;
    absl::MutexLock lock(&mutex_);
    FIRSTCALL_RETURN_IF_ERROR(LinkAll());
    std::vector<Step> steps;
    for (const auto& module : modules_) {
      if (module->is_constructed) continue;
      for (const LifecycleFunction& one : module->index->constructors()) {
        steps.push_back({module.get(), one});
      }
      module->is_constructed = true;
    }
    if (!steps.empty()) {
      FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<ExecutorAddress> added,
                                 AddressesOf(std::move(steps)));
      constructors_.insert(constructors_.end(), added.begin(), added.end());
    }
    return TakeFirst(constructors_);
  }

  // The same for destructors of modules whose constructors have run.
  absl::StatusOr<ExecutorAddress> TakeDestructor() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    std::vector<Step> steps;
    for (const auto& module : modules_) {
      if (!module->is_constructed || module->is_destroyed) continue;
      for (const LifecycleFunction& one : module->index->destructors()) {
        steps.push_back({module.get(), one});
      }
      module->is_destroyed = true;
    }
    if (!steps.empty()) {
      FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<ExecutorAddress> added,
                                 AddressesOf(std::move(steps)));
      destructors_.insert(destructors_.begin(), added.rbegin(), added.rend());
    }
    return TakeFirst(destructors_);
  }

 private:
  std::vector<std::unique_ptr<Unwinder>> RemoteUnwinders() const {
    std::vector<std::unique_ptr<Unwinder>> unwinders;
    unwinders.push_back(std::make_unique<RemoteUnwinder>(client_));
    return unwinders;
  }

  static ExecutorAddress TakeFirst(std::deque<ExecutorAddress>& addresses) {
    if (addresses.empty()) return ExecutorAddress();
    const ExecutorAddress first = addresses.front();
    addresses.pop_front();
    return first;
  }

  static absl::Status NotDefined(absl::string_view symbol) {
    return absl::NotFoundError(absl::StrCat("no module defines '", symbol, "'"));
  }

  // Calls `action` for each definition that other modules can name.
  template <typename Action>
  static void ForEachDefinition(const Module& module, Action action) {
    for (uint32_t i = 0; i < module.index->size(); ++i) {
      const Symbol symbol = module.index->at(SymbolOrdinal{i});
      if (symbol.is_definition && !symbol.is_local) action(symbol.name, symbol.is_weak);
    }
    for (const AssemblySymbol& symbol : module.index->assembly_symbols()) {
      if (symbol.is_global) action(absl::string_view(symbol.name), symbol.is_weak);
    }
  }

  absl::Status CheckDefinitions(const Module& module) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    absl::Status status;
    ForEachDefinition(
        module, [&](absl::string_view name, bool is_weak) ABSL_NO_THREAD_SAFETY_ANALYSIS {
          const auto found = meanings_.find(name);
          if (is_weak || found == meanings_.end()) return;
          const Meaning& known = found->second;
          const bool is_settled = known.module == nullptr || known.module->is_linked;
          if (known.is_weak && !is_settled) return;
          status.Update(absl::AlreadyExistsError(
              absl::StrCat("'", module.name, "': symbol '", name, "' is already defined")));
        });
    return status;
  }

  void NoteDefinitions(Module& module) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    ForEachDefinition(module,
                      [&](absl::string_view name, bool is_weak) ABSL_NO_THREAD_SAFETY_ANALYSIS {
                        Meaning& meaning = meanings_[name];
                        const bool is_new = meaning.module == nullptr && meaning.address.is_null();
                        if (is_new || !is_weak) meaning = {&module, ExecutorAddress(), is_weak};
                      });
  }

  // Definitions of the executing process replace weak ones that are not linked, except for
  // tentative definitions of C. `replaced` gets what was replaced.
  absl::Status LetWeakOnesGiveWay(std::vector<std::pair<std::string, Meaning>>& replaced)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::vector<std::string> names;
    for (const auto& [name, meaning] : meanings_) {
      if (!meaning.is_weak || meaning.module == nullptr || meaning.module->is_linked) continue;
      const std::optional<SymbolOrdinal> ordinal = meaning.module->index->Find(name);
      const bool stays = ordinal && (meaning.module->index->at(*ordinal).is_common ||
                                     meaning.module->index->at(*ordinal).is_thread_local);
      if (!stays) names.push_back(name);
    }
    FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<ExecutorAddress> found, client_->LookUp(names));
    for (size_t i = 0; i < names.size(); ++i) {
      if (found[i].is_null()) continue;
      Meaning& meaning = meanings_[names[i]];
      replaced.emplace_back(names[i], meaning);
      meaning = {nullptr, found[i], /*is_weak=*/true};
    }
    return absl::OkStatus();
  }

  // Whether the module has the definition in its object, but another one is meant by its name.
  bool IsReplaced(const Module& module, SymbolOrdinal ordinal) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const Symbol symbol = module.index->at(ordinal);
    if (!symbol.is_definition || symbol.is_local || !symbol.is_weak) return false;
    const auto found = meanings_.find(symbol.name);
    return found != meanings_.end() && found->second.module != &module;
  }

  absl::Status LinkAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::vector<Module*> added;
    for (const auto& module : modules_) {
      if (!module->is_linked) added.push_back(module.get());
    }
    if (added.empty()) return absl::OkStatus();
    std::vector<std::pair<std::string, Meaning>> replaced;
    absl::Status status = LetWeakOnesGiveWay(replaced);
    if (status.ok()) status = Link(added);
    if (!status.ok()) {
      for (const auto& [name, meaning] : replaced) meanings_[name] = meaning;
    }
    for (Module* module : added) {
      module->linker = nullptr;
      module->image = nullptr;
      module->bytes = {};
      module->is_linked = status.ok();
      if (status.ok()) continue;
      module->addresses.clear();
      module->owner = nullptr;
    }
    return status;
  }

  absl::Status Link(absl::Span<Module* const> added) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    for (Module* module : added) {
      FIRSTCALL_RETURN_IF_ERROR(Annotate(Compile(*module), absl::StrCat("'", module->name, "'")));
    }
    absl::flat_hash_map<std::string, ExecutorAddress> outside;
    FIRSTCALL_RETURN_IF_ERROR(FindOutside(added, outside));
    for (Module* module : added) {
      FIRSTCALL_RETURN_IF_ERROR(
          Annotate(Load(*module, outside), absl::StrCat("'", module->name, "'")));
    }
    for (Module* module : added) {
      FIRSTCALL_RETURN_IF_ERROR(
          Annotate(Bind(*module, outside), absl::StrCat("'", module->name, "'")));
    }
    for (const Module* module : added) {
      const auto initializer = module->addresses.find(kInitializer);
      if (initializer == module->addresses.end()) continue;
      FIRSTCALL_RETURN_IF_ERROR(client_->Initialize(initializer->second));
    }
    return absl::OkStatus();
  }

  absl::Status Compile(Module& module) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto is_replaced = [&](SymbolOrdinal ordinal) ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return IsReplaced(module, ordinal);
    };
    FIRSTCALL_ASSIGN_OR_RETURN(CompiledObject compiled,
                               compiler_->CompileWhole({module.id, is_replaced}));
    module.bytes = std::move(compiled.bytes);
    FIRSTCALL_ASSIGN_OR_RETURN(module.image,
                               ElfObject::Parse(absl::MakeSpan(module.bytes), module.name));
    module.image->DefineSectionBounds([&](absl::string_view name) ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return !meanings_.contains(name);
    });
    module.image->MakeDefinitionsStrong();
    return absl::OkStatus();
  }

  // Asks the executing process for the symbols that no module defines.
  absl::Status FindOutside(absl::Span<Module* const> added,
                           absl::flat_hash_map<std::string, ExecutorAddress>& outside)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::vector<std::string> names;
    for (const Module* module : added) {
      for (const ElfObject::Undefined& symbol : module->image->undefined()) {
        if (meanings_.contains(NameInIndex(symbol.name))) continue;
        const std::string name(ParseReference(symbol.name).name);
        if (outside.emplace(name, ExecutorAddress()).second) names.push_back(name);
      }
    }
    FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<ExecutorAddress> found, client_->LookUp(names));
    for (size_t i = 0; i < names.size(); ++i) outside[names[i]] = found[i];
    return absl::OkStatus();
  }

  absl::Status Load(Module& module,
                    const absl::flat_hash_map<std::string, ExecutorAddress>& outside)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::vector<absl::string_view> zero;
    for (const ElfObject::Undefined& symbol : module.image->undefined()) {
      const auto found = outside.find(ParseReference(symbol.name).name);
      if (symbol.is_weak && found != outside.end() && found->second.is_null()) {
        zero.push_back(symbol.name);
      }
    }
    module.image->DefineAsZero(zero);
    module.owner = std::make_unique<OwnedCode>(arenas_, unwind_registry_);
    FIRSTCALL_ASSIGN_OR_RETURN(
        LoadedObject loaded,
        LoadObject(*module.image, *module.owner, ExecutorAddress(),
                   {[this] { return compiler_->MakeLinker(); }, /*come_first=*/false}));
    module.linker = std::move(loaded.linker);
    module.addresses = std::move(loaded.defined);
    return absl::OkStatus();
  }

  absl::Status Bind(Module& module,
                    const absl::flat_hash_map<std::string, ExecutorAddress>& outside)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    SymbolResolution resolution;
    std::vector<absl::string_view> missing;
    for (const ElfObject::Undefined& symbol : module.image->undefined()) {
      const absl::string_view name = ParseReference(symbol.name).name;
      const auto meaning = meanings_.find(NameInIndex(symbol.name));
      ExecutorAddress address;
      if (meaning == meanings_.end()) {
        address = outside.at(name);
      } else if (meaning->second.module == nullptr) {
        address = meaning->second.address;
      } else {
        const auto found = meaning->second.module->addresses.find(name);
        if (found != meaning->second.module->addresses.end()) address = found->second;
      }
      if (address.is_null()) missing.push_back(name);
      resolution.emplace(symbol.name, address);
    }
    if (!missing.empty()) {
      return absl::NotFoundError(absl::StrCat(
          "linking for the executing process: JIT session error: Symbols not found: [ ",
          absl::StrJoin(missing, ", "), " ]"));
    }
    FIRSTCALL_RETURN_IF_ERROR(module.linker->Bind(resolution));
    return module.linker->Finalize();
  }

  absl::StatusOr<ExecutorAddress> AddressOf(absl::string_view symbol) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto found = meanings_.find(symbol);
    if (found == meanings_.end()) return NotDefined(symbol);
    if (found->second.module == nullptr) return found->second.address;
    const SymbolAddresses& addresses = found->second.module->addresses;
    const auto address = addresses.find(symbol);
    if (address == addresses.end()) return NotDefined(symbol);
    return address->second;
  }

  absl::StatusOr<std::vector<ExecutorAddress>> AddressesOf(std::vector<Step> steps)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
      return a.function.priority < b.function.priority;
    });
    std::vector<ExecutorAddress> addresses;
    for (const Step& step : steps) {
      const absl::string_view name = step.module->index->at(step.function.function).name;
      const auto own = step.module->addresses.find(name);
      if (own != step.module->addresses.end()) {
        addresses.push_back(own->second);
        continue;
      }
      FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress address, AddressOf(name));
      addresses.push_back(address);
    }
    return addresses;
  }

  const std::shared_ptr<const ExecutorClient> client_;
  const std::shared_ptr<ArenaMemory> arenas_;
  const std::shared_ptr<UnwindRegistry> unwind_registry_;
  ListenerGroup listeners_;
  std::unique_ptr<Compiler> compiler_;
  absl::Mutex mutex_;
  uint32_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<Module>> modules_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Meaning> meanings_ ABSL_GUARDED_BY(mutex_);
  // Those that have not run, of modules that count as constructed or destroyed, in their order.
  std::deque<ExecutorAddress> constructors_ ABSL_GUARDED_BY(mutex_);
  std::deque<ExecutorAddress> destructors_ ABSL_GUARDED_BY(mutex_);
};

absl::StatusOr<std::unique_ptr<ExecutorEngine>> ExecutorEngine::Create(
    int socket, ExecutorEngineOptions options) {
  auto connection = std::make_shared<SocketConnection>(socket, options.budget);
  FIRSTCALL_RETURN_IF_ERROR(BaselineOf(options).status());
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<ExecutorClient> client,
                             ExecutorClient::Create(std::move(connection)));
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<SharedMemoryMapper> mapper,
                             SharedMemoryMapper::Create(client));
  ArenaMemoryOptions memory_options;
  memory_options.budget = options.memory_budget;
  if (options.arena_sizes) {
    FIRSTCALL_ASSIGN_OR_RETURN(memory_options.sizes, ArenaSizes::Chosen(*options.arena_sizes));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<ArenaMemory> arenas,
                             ArenaMemory::Create(std::move(mapper), memory_options));
  auto parts = std::make_unique<Parts>(std::move(client), std::move(arenas));
  FIRSTCALL_RETURN_IF_ERROR(parts->MakeCompiler(options));
  return std::unique_ptr<ExecutorEngine>(new ExecutorEngine(std::move(parts)));
}

ExecutorEngine::ExecutorEngine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

ExecutorEngine::~ExecutorEngine() { (void)RunDestructors(); }

absl::Status ExecutorEngine::AddFile(const std::string& path) {
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleContents contents, ModuleContents::Read(path));
  return parts_->Add(std::move(contents));
}

absl::Status ExecutorEngine::AddBitcode(absl::string_view bitcode, absl::string_view name) {
  return parts_->Add(
      {std::string(name), ModuleContents::Form::kBitcode, FileContents::Copy(bitcode)});
}

absl::Status ExecutorEngine::AddAssembly(absl::string_view text, absl::string_view name) {
  return parts_->Add({std::string(name), ModuleContents::Form::kText, FileContents::Copy(text)});
}

absl::StatusOr<ExecutorAddress> ExecutorEngine::LookupAddress(absl::string_view symbol) {
  return parts_->Find(symbol);
}

absl::Status ExecutorEngine::Call(absl::string_view function, const ForeignValue& result,
                                  absl::Span<const ForeignValue> arguments) {
  FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress address, parts_->Find(function));
  return Annotate(parts_->client().Call(address, result, arguments),
                  absl::StrCat("calling '", function, "'"));
}

absl::Status ExecutorEngine::RunConstructors(absl::Span<const std::string> arguments) {
  while (true) {
    FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress constructor, parts_->TakeConstructor());
    if (constructor.is_null()) return absl::OkStatus();
    FIRSTCALL_RETURN_IF_ERROR(parts_->client().Construct(constructor, arguments));
  }
}

absl::StatusOr<int> ExecutorEngine::RunMain(absl::Span<const std::string> arguments,
                                            absl::string_view entry) {
  FIRSTCALL_ASSIGN_OR_RETURN(const EntryPoint entry_point, parts_->FindMain(entry));
  FIRSTCALL_RETURN_IF_ERROR(RunConstructors(arguments));
  FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress address, parts_->Find(entry));
  return parts_->client().RunMain(address, entry_point, arguments);
}

absl::Status ExecutorEngine::RunDestructors() {
  // Exit handlers come first, as when a program exits.
  FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<ExecutorAddress> found,
                             parts_->client().LookUp({"__cxa_finalize", std::string(kDsoHandle)}));
  const ForeignValue nothing;
  if (!found[0].is_null()) {
    uint64_t handle = found[1].value();
    FIRSTCALL_RETURN_IF_ERROR(
        parts_->client().Call(found[0], nothing, {{ForeignKind::kPointer, &handle}}));
  }
  while (true) {
    FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress destructor, parts_->TakeDestructor());
    if (destructor.is_null()) return absl::OkStatus();
    FIRSTCALL_RETURN_IF_ERROR(parts_->client().Call(destructor, nothing, {}));
  }
}

absl::StatusOr<ExecutorAddress> ExecutorEngine::Allocate(size_t size) {
  return parts_->client().Allocate(size);
}

absl::Status ExecutorEngine::Free(ExecutorAddress address) {
  return parts_->client().Free(address);
}

absl::StatusOr<std::string> ExecutorEngine::Read(ExecutorAddress address, size_t size) {
  return parts_->client().Read(address, size);
}

absl::Status ExecutorEngine::Write(ExecutorAddress address, absl::string_view bytes) {
  return parts_->client().Write(address, bytes);
}

}  // namespace firstcall

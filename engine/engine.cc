#include "engine/engine.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/floating_point_environment.h"
#include "base/signal_hold.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "engine/debug_info_choice.h"
#include "engine/engine_parts.h"
#include "engine/served_compiler.h"
#include "engine/signature.h"
#include "engine/versions.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "object/archive.h"
#include "runtime/link/outside_symbols.h"
#include "runtime/process/shared_libraries.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

constexpr ModulePart kIndexPart{ModulePart::Kind::kIndex, SymbolOrdinal()};

bool Promotes(const EngineOptions& options) {
  return options.mode == Mode::kLazy && options.tier == Tier::kAuto;
}

CompilerSettings CompilerSettingsFrom(const EngineOptions& options) {
  CompilerSettings settings;
  settings.target = options;
  settings.optimizes_ir = options.mode == Mode::kLazy && options.tier == Tier::kOne;
  settings.promotes = Promotes(options);
  settings.handles_failures = options.failure_handler != nullptr;
  settings.contain_crashes = options.contain_crashes;
  return settings;
}

// For a client that sets EmulatedTLS itself and disables the process's symbols, the engine provides
// neither these symbols nor `__emutls_get_address`.
OutsideSymbols::Sources OutsideOf(const EngineOptions& options, CompilerProvider& provider,
                                  std::shared_ptr<const SharedLibraries> libraries) {
  OutsideSymbols::Sources outside;
  outside.client = options.library_symbol_finder;
  if (outside.client == nullptr && options.symbol_finder != nullptr) {
    outside.client = [finder = options.symbol_finder](absl::string_view symbol, absl::string_view) {
      return finder(symbol);
    };
  }
  outside.provides_emulated_tls =
      options.search_process_symbols || !provider.AsksForEmulatedTls(options);
  if (options.search_process_symbols) outside.process = provider.ProcessSymbols();
  if (options.shared_libraries.empty()) return outside;
  outside.process = [libraries = std::move(libraries),
                     process = std::move(outside.process)](const std::string& name) {
    const bool is_all = process == nullptr;
    const ExecutorAddress address = libraries->Find(name, /*of_start_too=*/is_all);
    return is_all || !address.is_null() ? address : process(name);
  };
  return outside;
}

RuntimeOptions RuntimeOptionsFrom(const EngineOptions& options, CompilerProvider& provider,
                                  std::shared_ptr<const SharedLibraries> libraries,
                                  const DescribedCodeOptions& described) {
  RuntimeOptions result;
  static_cast<DescribedCodeOptions&>(result) = described;
  result.promotes = Promotes(options);
  result.promotion = options.promotion;
  result.compile_threads = options.compile_threads;
  result.speculation_budget = options.speculation_budget;
  result.failure_handler = options.failure_handler;
  result.outside = OutsideOf(options, provider, std::move(libraries));
  result.search_other_libraries = options.search_other_libraries;
  result.compiler_links = options.backend == Backend::kMcjit;
  return result;
}

// A module that is compiled whole is LLVM's.
std::unique_ptr<CompilerPair> MakePair(const EngineOptions& options,
                                       const CompilerSettings& settings, CompilerProvider& provider,
                                       DeferredCompiler& complete) {
  if (options.mode != Mode::kLazy) return nullptr;
  for (const std::shared_ptr<Listener>& listener : options.listeners) {
    if (listener->sees_modules()) return nullptr;
  }
  std::unique_ptr<Compiler> small = provider.CreateSmall(settings);
  if (small == nullptr) return nullptr;
  return std::make_unique<CompilerPair>(std::move(small), complete);
}

}  // namespace

Engine::Parts::Parts(EngineOptions engine_options, CompilerProvider& compiler_provider,
                     std::unique_ptr<CompilerProvider> served,
                     std::shared_ptr<EventSource> event_source,
                     std::shared_ptr<CodeSpace> code_space,
                     std::shared_ptr<const SharedLibraries> libraries,
                     const DescribedCodeOptions& described)
    : options(std::move(engine_options)),
      own_provider(std::move(served)),
      provider(compiler_provider),
      compiler_settings(CompilerSettingsFrom(options)),
      events(std::move(event_source)),
      compiler([this](absl::string_view reason) {
        return provider.Create(compiler_settings, listeners, reason);
      }),
      pair(MakePair(options, compiler_settings, provider, compiler)),
      runtime(RuntimeOptionsFrom(options, provider, std::move(libraries), described), front(),
              listeners, std::move(code_space)) {
  for (const std::shared_ptr<Listener>& listener : options.listeners) listeners.Add(*listener);
  if (events != nullptr) listeners.Add(*events);
}

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(EngineOptions options,
                                                       CompilerProvider& local) {
  FIRSTCALL_RETURN_IF_ERROR(BaselineOf(options).status());
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<const SharedLibraries> libraries,
                             SharedLibraries::Open(options.shared_libraries));
  if (options.holds_signals) HeldSignals::AddAll();
  const CompilerFloatingPoint floating_point;
  for (const std::shared_ptr<EventListener>& listener : options.event_listeners) {
    if (listener == nullptr) return absl::InvalidArgumentError("an event listener is null");
  }
  const DebugInfo debug_info = ChooseDebugInfo(options);
  const DescribedCodeOptions described = {DescribesBodies(options, debug_info),
                                          FindsLines(options, debug_info)};
  options.debug_info = debug_info;
  std::unique_ptr<CompilerProvider> served;
  if (!options.compile_server.empty()) served = std::make_unique<ServedCompiler>(options, local);
  CompilerProvider& provider = served == nullptr ? local : *served;
  options.object_cache = provider.CacheFor(CompilerSettingsFrom(options), options.object_cache);
  ArenaMemoryOptions memory_options;
  memory_options.budget = options.memory_budget;
  CodeSpace::BlockObserver block_observer;
  std::shared_ptr<EventSource> events;
  if (!options.event_listeners.empty()) {
    events = std::make_shared<EventSource>(options.event_listeners);
    memory_options.observer = [events](int64_t change) { events->OnMemory(change); };
    block_observer = [events](ExecutorAddress code, size_t size, absl::string_view name) {
      events->OnStubs(code, size, name);
    };
  }
  if (options.arena_sizes) {
    FIRSTCALL_ASSIGN_OR_RETURN(memory_options.sizes, ArenaSizes::Chosen(*options.arena_sizes));
  }
  std::shared_ptr<PageMapper> mapper = options.page_mapper;
  if (mapper == nullptr) mapper = std::make_shared<InProcessMapper>();
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<ArenaMemory> arenas,
                             ArenaMemory::Create(std::move(mapper), memory_options));
  std::shared_ptr<MemoryManager> memory;
  if (options.memory_manager) {
    memory = options.memory_manager(arenas);
    if (memory == nullptr) return absl::InvalidArgumentError("the memory manager is null");
  }
  std::shared_ptr<CodeSpace> code_space =
      Runtime::MakeCodeSpace(std::move(arenas), std::move(memory), std::move(block_observer));
  auto parts =
      std::make_unique<Parts>(std::move(options), provider, std::move(served), std::move(events),
                              std::move(code_space), std::move(libraries), described);
  if (!provider.is_deferred() && parts->pair == nullptr) {
    FIRSTCALL_RETURN_IF_ERROR(parts->compiler.Make("an engine"));
  }
  return std::unique_ptr<Engine>(new Engine(std::move(parts)));
}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Engine::~Engine() {
  RunDestructors();
  const CompilerFloatingPoint floating_point;
  parts_->runtime.Stop();
  FlushCache();
  parts_ = nullptr;
}

void Engine::FlushCache() {
  if (!parts_->has_cache() || !parts_->options.object_cache->keeps()) return;
  parts_->runtime.StoreStartObjects();
  const ForkScope scope;
  parts_->options.object_cache->Flush();
}

Engine::Parts::NewSource Engine::Parts::SourceOf(ModuleContents contents, LibraryId library) {
  NewSource source;
  source.name = contents.name;
  source.library = library;
  source.is_reopenable = contents.form == ModuleContents::Form::kBitcode;
  if (has_cache()) source.digest = DigestOf(*contents.bytes, *options.object_cache);
  contents.digest = source.digest;
  // The server reads the contents, so this process need not keep their pages.
  if (!options.compile_server.empty()) contents.bytes->ReleasePages();
  source.add = [this, contents = std::move(contents)](
                   ModuleId id, std::shared_ptr<const SymbolIndex> index) mutable {
    return front().Add({id, std::move(contents), std::move(index)});
  };
  return source;
}

void Engine::Parts::Open(std::vector<NewSource>& sources) {
  for (NewSource& source : sources) source.is_far = runtime.MustBeFar();
  if (!has_cache()) return;
  const ForkScope scope;
  for (NewSource& source : sources) {
    source.cache = std::make_unique<ModuleCache>(
        *options.object_cache, source.name,
        SignatureOf(source.digest, provider.Identity(compiler_settings), options, source.is_far));
  }
  if (sources.size() > 1) {
    std::vector<ObjectKey> keys;
    for (const NewSource& source : sources) {
      keys.push_back({source.name, source.cache->signature(), kIndexPart});
    }
    options.object_cache->Expect(keys);
  }
  for (NewSource& source : sources) {
    std::optional<ObjectBytes> bytes = source.cache->Find(kIndexPart);
    if (!bytes) continue;
    absl::StatusOr<SymbolIndex> index = SymbolIndex::Decode(*std::move(bytes));
    if (index.ok()) source.index = std::make_shared<const SymbolIndex>(*std::move(index));
  }
}

absl::StatusOr<SourceModule*> Engine::Parts::AddOpened(NewSource added, absl::Duration start) {
  Runtime::NewModule module;
  module.id = runtime.NextId();
  module.name = added.name;
  module.library = added.library;
  module.mode = options.mode;
  module.is_far = added.is_far;
  module.is_reopenable = added.is_reopenable;
  module.cache = std::move(added.cache);
  const std::string where = absl::StrCat("'", module.name, "'");
  const bool is_known = added.index != nullptr;
  absl::StatusOr<std::shared_ptr<const SymbolIndex>> index =
      added.add(module.id, std::move(added.index));
  if (!index.ok()) return index.status();
  module.index = *std::move(index);
  if (!is_known && module.cache != nullptr) {
    module.cache->Store(kIndexPart, module.index->Encode());
    LookForEarlierVersion(module);
  }
  const ModuleId id = module.id;
  absl::StatusOr<SourceModule*> result = runtime.Add(std::move(module), start);
  if (result.ok()) return result;
  front().Remove(id);
  return Annotate(result.status(), where);
}

// For a module that the cache does not know, and that the compiler has read.
void Engine::Parts::LookForEarlierVersion(Runtime::NewModule& module) {
  if (options.mode != Mode::kLazy || !options.object_cache->keeps() ||
      module.index->function_count() < kFewestFunctionsOfVersions) {
    return;
  }
  // Without digests, everything is compiled.
  const absl::StatusOr<BodyDigests> digests = front().DigestBodies(module.id);
  if (!digests.ok()) return;
  const std::string of_frame =
      SignatureOf(digests->frame, provider.Identity(compiler_settings), options, module.is_far);
  std::optional<EarlierVersion> earlier =
      ReplaceLastVersion(*options.object_cache,
                         {module.name, module.cache->signature(), absl::StrCat(of_frame, " frame")},
                         *digests, *module.index);
  if (earlier) module.cache->SetEarlierVersion(*std::move(earlier));
}

absl::StatusOr<std::vector<ModuleId>> Engine::Parts::Add(std::vector<NewSource> sources,
                                                         absl::Duration start) {
  std::vector<ModuleId> ids;
  absl::Status status = AddInScope(std::move(sources), start, ids);
  if (status.ok()) return ids;
  // Within a compile the modules cannot be removed.
  if (!WorkScope::IsAtWork()) runtime.Drop(ids);
  return status;
}

// `ids` gets the modules that were added, even if a later one fails.
absl::Status Engine::Parts::AddInScope(std::vector<NewSource> sources, absl::Duration start,
                                       std::vector<ModuleId>& ids) {
  WorkScope scope;
  std::vector<SourceModule*> added;
  for (NewSource& source : sources) {
    FIRSTCALL_ASSIGN_OR_RETURN(SourceModule * module, AddOpened(std::move(source), start));
    added.push_back(module);
    ids.push_back(module->id());
    start = SteadyNow();
  }
  if (options.mode == Mode::kEager) {
    for (SourceModule* module : added) FIRSTCALL_RETURN_IF_ERROR(runtime.LinkWhole(*module));
  }
  return absl::OkStatus();
}

absl::StatusOr<ModuleId> Engine::Parts::Add(NewSource source, absl::Duration start) {
  std::vector<NewSource> sources;
  sources.push_back(std::move(source));
  {
    const CompilerFloatingPoint floating_point;
    Open(sources);
  }
  FIRSTCALL_ASSIGN_OR_RETURN(std::vector<ModuleId> ids, Add(std::move(sources), start));
  return ids.front();
}

absl::StatusOr<ModuleId> Engine::AddFile(const std::string& path) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::vector<ModuleId> ids, AddFiles({LibraryFile{path, ""}}));
  return ids.front();
}

absl::StatusOr<std::vector<ModuleId>> Engine::AddFiles(absl::Span<const std::string> paths) {
  std::vector<LibraryFile> files;
  for (const std::string& path : paths) files.push_back({path, ""});
  return AddFiles(files);
}

absl::StatusOr<std::vector<ModuleId>> Engine::AddFiles(absl::Span<const LibraryFile> files) {
  const absl::Duration start = SteadyNow();
  std::vector<Parts::NewSource> sources;
  {
    const CompilerFloatingPoint floating_point;
    for (const LibraryFile& file : files) {
      FIRSTCALL_ASSIGN_OR_RETURN(ModuleContents contents, ModuleContents::Read(file.path));
      const LibraryId library = parts_->runtime.LibraryNamed(file.library);
      sources.push_back(parts_->SourceOf(std::move(contents), library));
    }
    parts_->Open(sources);
  }
  return parts_->Add(std::move(sources), start);
}

absl::StatusOr<ModuleId> Engine::AddBitcode(absl::string_view bitcode, absl::string_view name,
                                            absl::string_view library) {
  const absl::Duration start = SteadyNow();
  ModuleContents contents = {std::string(name), ModuleContents::Form::kBitcode,
                             FileContents::Copy(bitcode)};
  const LibraryId id = parts_->runtime.LibraryNamed(library);
  return parts_->Add(parts_->SourceOf(std::move(contents), id), start);
}

absl::StatusOr<ModuleId> Engine::AddAssembly(absl::string_view text, absl::string_view name) {
  const absl::Duration start = SteadyNow();
  ModuleContents contents = {std::string(name), ModuleContents::Form::kText,
                             FileContents::Copy(text)};
  return parts_->Add(parts_->SourceOf(std::move(contents), LibraryId()), start);
}

absl::Status Engine::AddObjectFile(const std::string& path, absl::string_view library) {
  WorkScope scope;
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<const FileContents> file, FileContents::Read(path));
  return parts_->runtime.AddObject(path, ObjectBytes(file->bytes()), /*is_archive_member=*/false,
                                   parts_->runtime.LibraryNamed(library));
}

absl::Status Engine::AddArchive(const std::string& path, absl::string_view library) {
  WorkScope scope;
  const LibraryId id = parts_->runtime.LibraryNamed(library);
  return ForEachMember(path, [&](std::string name, ObjectBytes contents) {
    return parts_->runtime.AddObject(std::move(name), std::move(contents),
                                     /*is_archive_member=*/true, id);
  });
}

absl::StatusOr<void*> Engine::LookupAddress(absl::string_view name) {
  return parts_->runtime.LookupAddress(name);
}

absl::StatusOr<void*> Engine::LookupAddress(ModuleId module, absl::string_view name) {
  return parts_->runtime.LookupAddress(module, name);
}

absl::Status Engine::Call(absl::string_view name, const ForeignValue& result,
                          absl::Span<const ForeignValue> arguments) {
  return parts_->runtime.Call(name, result, arguments);
}

absl::Status Engine::Prepare(absl::Span<const absl::string_view> names,
                             const PrepareOptions& options) {
  return parts_->runtime.Prepare(names, options);
}

absl::Status Engine::PrepareAll(const PrepareOptions& options) {
  return parts_->runtime.PrepareAll(options);
}

absl::Status Engine::Remove(ModuleId id) { return parts_->runtime.Remove(id); }

absl::StatusOr<std::unique_ptr<DetachedCode>> Engine::Detach(ModuleId id) {
  return parts_->runtime.Detach(id);
}

absl::Status Engine::RunConstructors(absl::Span<const std::string> arguments) {
  return parts_->runtime.RunConstructors(arguments);
}

void Engine::RunDestructors() { parts_->runtime.RunDestructors(); }

absl::StatusOr<int> Engine::RunMain(absl::Span<const std::string> arguments,
                                    absl::string_view entry) {
  return parts_->runtime.RunMain(arguments, entry);
}

absl::Status Engine::CheckMain(absl::string_view entry) { return parts_->runtime.CheckMain(entry); }

Stats Engine::stats() const {
  Stats stats = parts_->runtime.Collect();
  stats.compiler_made_for = parts_->compiler.reason();
  stats.compiler_made_after = parts_->compiler.made_after();
  if (parts_->pair != nullptr) stats.refusals_without_llvm = parts_->pair->refusals();
  return stats;
}

}  // namespace firstcall

#include "engine/engine.h"

#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/fatal_error_guard.h"
#include "base/floating_point_environment.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "code/symbol_index.h"
#include "codegen/mcjit_linker.h"
#include "codegen/target.h"
#include "compiler/in_process_compiler.h"
#include "engine/object_files.h"
#include "engine/signature.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetOptions.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "runtime/call_failures.h"
#include "runtime/code_space.h"
#include "runtime/compile_threads.h"
#include "runtime/definitions.h"
#include "runtime/detached_parts.h"
#include "runtime/exit_handlers.h"
#include "runtime/foreign_functions.h"
#include "runtime/function_compiler.h"
#include "runtime/function_linker.h"
#include "runtime/function_table.h"
#include "runtime/listener_group.h"
#include "runtime/module_cache.h"
#include "runtime/object_linker.h"
#include "runtime/optimized_bodies.h"
#include "runtime/precompiled.h"
#include "runtime/preparation.h"
#include "runtime/program.h"
#include "runtime/promoter.h"
#include "runtime/symbol_resolver.h"
#include "runtime/work_scope.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index_builder.h"

namespace firstcall {
namespace {

constexpr ModulePart kIndexPart{ModulePart::Kind::kIndex, SymbolOrdinal()};

llvm::StringRef ToLlvm(absl::string_view text) { return {text.data(), text.size()}; }

}  // namespace

// Each part may use those before it. They are destroyed in the reverse order.
struct Engine::Parts {
  Parts(EngineOptions engine_options, Target engine_target, std::shared_ptr<CodeSpace> space)
      : options(std::move(engine_options)),
        target(std::move(engine_target)),
        optimizing_target(target.ThatOptimizes()),
        code_space(std::move(space)),
        compiler_half(target, optimizing_target, Promotes(options), listeners, crash_containment),
        functions(code_space->stubs(), failures,
                  [this](FunctionKey key, bool may_delegate) {
                    return compiler.Compile(key, FunctionCompiler::Reason::kCalled, may_delegate);
                  }),
        resolver(OutsideOf(options), definitions, functions, code_space->host_thread_locals()),
        objects(compiler_half, mcjit_linkers, *code_space, resolver, listeners),
        function_linker(mcjit_linkers, resolver, objects, *code_space),
        optimized_bodies(compiler_half, function_linker, resolver, listeners),
        promoter(Promotes(options) ? std::make_unique<Promoter>(options.promotion, *code_space,
                                                                functions, optimized_bodies)
                                   : nullptr),
        threads(options.compile_threads),
        compiler(compiler_half, functions, resolver, objects, function_linker, listeners, threads,
                 promoter.get(), options.speculation_budget),
        program(compiler_half, definitions, resolver, compiler, objects, precompiled, exit_handlers,
                threads),
        foreign_functions(compiler_half, definitions, resolver, program, threads) {
    resolver.Connect(objects, compiler, promoter.get());
    listeners.Add(stats);
    for (const std::shared_ptr<Listener>& listener : options.listeners) listeners.Add(*listener);
  }

  static SymbolResolver::Outside OutsideOf(const EngineOptions& options);
  static bool Promotes(const EngineOptions& options) {
    return options.mode == Mode::kLazy && options.tier == Tier::kAuto;
  }

  struct NewModule {
    std::unique_ptr<ModuleSource> source;
    LibraryId library;
    bool is_far = false;                 // See SourceModule.
    std::unique_ptr<ModuleCache> cache;  // Null if there is none.
    std::optional<SymbolIndex> index;    // From the cache: then the source is not read.
  };
  absl::StatusOr<NewModule> Open(std::unique_ptr<ModuleSource> source, LibraryId library);
  absl::StatusOr<std::vector<ModuleId>> Add(std::vector<NewModule> modules, absl::Duration start);
  absl::StatusOr<ModuleId> Add(absl::StatusOr<std::unique_ptr<ModuleSource>> source,
                               absl::Duration start);
  absl::Status AddInScope(std::vector<NewModule> modules, absl::Duration start,
                          std::vector<ModuleId>& ids);
  absl::StatusOr<SourceModule*> Add(NewModule module);
  absl::StatusOr<std::vector<FunctionKey>> FunctionsNamed(
      absl::Span<const absl::string_view> names);
  absl::StatusOr<std::shared_ptr<SourceModule>> ModuleToEnd(ModuleId id, absl::string_view verb);
  absl::Status Prepare(absl::FunctionRef<absl::StatusOr<std::vector<FunctionKey>>()> list_functions,
                       const PrepareOptions& prepare_options);
  absl::Status CompileAll(SourceModule& module);
  absl::StatusOr<SymbolAddresses> AddressesOf(SourceModule& module);
  absl::Status Forget(SourceModule& module, bool is_detached);
  absl::Status Drop(SourceModule& module);

  const EngineOptions options;
  // Null unless crashes are contained. Shared, because an optimization may outlive the engine.
  const std::shared_ptr<const CrashContainment> crash_containment =
      options.contain_crashes ? std::make_shared<const CrashContainment>() : nullptr;
  const Target target;
  const Target optimizing_target;
  const std::shared_ptr<CodeSpace> code_space;
  const std::shared_ptr<const CallFailures> failures =
      std::make_shared<CallFailures>(options.failure_handler);
  StatsCollector stats;
  ListenerGroup listeners;
  ExitHandlers exit_handlers;
  PrecompiledObjects precompiled{exit_handlers, *code_space};
  InProcessCompiler compiler_half;
  const LinkerFactory mcjit_linkers = [this] { return std::make_unique<McjitLinker>(target); };
  Definitions definitions;
  FunctionTable functions;
  SymbolResolver resolver;
  ObjectLinker objects;
  const FunctionLinker function_linker;
  OptimizedBodies optimized_bodies;
  const std::unique_ptr<Promoter> promoter;  // Null unless functions are replaced.
  CompileThreads threads;
  FunctionCompiler compiler;
  Program program;
  ForeignFunctions foreign_functions;
};

// A client that sets EmulatedTLS itself, and disables the process's symbols, gets neither.
SymbolResolver::Outside Engine::Parts::OutsideOf(const EngineOptions& options) {
  const bool asks_for_emulated_tls =
      options.target_options != nullptr && options.target_options->EmulatedTLS;
  SymbolResolver::Outside outside;
  outside.client = options.symbol_finder;
  outside.provides_emulated_tls = options.search_process_symbols || !asks_for_emulated_tls;
  if (options.search_process_symbols) {
    // LLVM also knows the symbols that clients have told it.
    llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
    outside.process = [](const std::string& name) {
      return ExecutorAddress(llvm::RTDyldMemoryManager::getSymbolAddressInProcess(name));
    };
  }
  return outside;
}

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(EngineOptions options) {
  const CompilerFloatingPoint floating_point;
  FIRSTCALL_ASSIGN_OR_RETURN(Target target, Target::Create(options));
  if (options.tier == Tier::kOne && options.mode == Mode::kLazy) target = target.ThatOptimizes();
  ArenaMemoryOptions memory_options;
  memory_options.budget = options.memory_budget;
  if (const std::optional<SegmentSizes>& sizes = options.arena_sizes) {
    memory_options.sizes = ArenaSizes(sizes->code, sizes->read_only, sizes->data);
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
  auto code_space = std::make_shared<CodeSpace>(std::move(arenas), std::move(memory),
                                                &FunctionTable::HandleFirstCall);
  return std::unique_ptr<Engine>(new Engine(
      std::make_unique<Parts>(std::move(options), std::move(target), std::move(code_space))));
}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Engine::~Engine() {
  RunDestructors();
  const CompilerFloatingPoint floating_point;
  parts_->threads.Stop();
  if (parts_->promoter != nullptr) parts_->promoter->Stop();
  // Detached code may call functions of modules that no longer exist.
  if (parts_->code_space.use_count() > 1) parts_->functions.RemoveAll();
  if (parts_->options.object_cache != nullptr) {
    const ForkScope scope;
    parts_->options.object_cache->Flush();
  }
  parts_ = nullptr;
}

// If the cache has the index, the source is not read.
absl::StatusOr<Engine::Parts::NewModule> Engine::Parts::Open(std::unique_ptr<ModuleSource> source,
                                                             LibraryId library) {
  const CompilerFloatingPoint floating_point;
  NewModule module;
  module.library = library;
  {
    const ForkScope scope;
    module.is_far = code_space->MustBeFar();
  }
  if (options.object_cache != nullptr) {
    const ForkScope scope;
    module.cache =
        std::make_unique<ModuleCache>(*options.object_cache, source->name(),
                                      SignatureOf(*source, target, options, module.is_far));
    std::optional<ObjectBytes> bytes = module.cache->Find(kIndexPart);
    absl::StatusOr<SymbolIndex> index = absl::NotFoundError("");
    if (bytes) index = SymbolIndex::Decode(*bytes);
    if (index.ok()) module.index = *std::move(index);
  }
  if (!module.index) FIRSTCALL_RETURN_IF_ERROR(source->Parse());
  module.source = std::move(source);
  return module;
}

absl::StatusOr<SourceModule*> Engine::Parts::Add(NewModule added_module) {
  std::unique_ptr<ModuleSource> source = std::move(added_module.source);
  const std::string name = source->name();
  const auto where = [&name](const absl::Status& status) {
    return Annotate(status, absl::StrCat("'", name, "'"));
  };
  const ModuleId id = program.NextId();
  const bool is_reopenable = source->is_reopenable();
  const bool is_known = added_module.index.has_value();
  absl::StatusOr<std::shared_ptr<const SymbolIndex>> index =
      compiler_half.Add(id, std::move(source), std::move(added_module.index));
  if (!index.ok()) return where(index.status());
  absl::Cleanup remove = [&] { compiler_half.Remove(id); };
  if (!is_known && added_module.cache != nullptr) {
    added_module.cache->Store(kIndexPart, (*index)->Encode());
  }
  std::unique_ptr<OwnedCode> code = code_space->MakeOwner();
  absl::StatusOr<DsoHandle*> dso_handle =
      exit_handlers.MakeHandle(*code, code_space->NearFor(added_module.is_far));
  if (!dso_handle.ok()) return where(dso_handle.status());
  auto module = std::make_shared<SourceModule>(
      id, name, added_module.library, options.mode, added_module.is_far, is_reopenable,
      *std::move(index), std::move(code), **dso_handle, std::move(added_module.cache));
  FIRSTCALL_RETURN_IF_ERROR(where(definitions.Add(*module)));
  std::move(remove).Cancel();
  SourceModule* added = module.get();
  program.Add(std::move(module));
  return added;
}

absl::StatusOr<std::vector<ModuleId>> Engine::Parts::Add(std::vector<NewModule> modules,
                                                         absl::Duration start) {
  std::vector<ModuleId> ids;
  absl::Status status = AddInScope(std::move(modules), start, ids);
  if (status.ok()) return ids;
  // Within a compile the modules cannot be removed.
  if (!WorkScope::IsAtWork()) {
    for (ModuleId id : ids) {
      if (std::shared_ptr<SourceModule> module = program.Find(id)) (void)Drop(*module);
    }
  }
  return status;
}

// `ids` gets the modules that were added, even if a later one fails.
absl::Status Engine::Parts::AddInScope(std::vector<NewModule> modules, absl::Duration start,
                                       std::vector<ModuleId>& ids) {
  WorkScope scope;
  std::vector<SourceModule*> added;
  for (NewModule& module : modules) {
    FIRSTCALL_ASSIGN_OR_RETURN(SourceModule * source_module, Add(std::move(module)));
    added.push_back(source_module);
    ids.push_back(source_module->id());
    stats.OnModuleAdded(source_module->index().function_count(), SteadyNow() - start);
    start = SteadyNow();
  }
  if (options.mode == Mode::kEager) {
    for (SourceModule* module : added) {
      FIRSTCALL_RETURN_IF_ERROR(objects.Link(module->object()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ModuleId> Engine::Parts::Add(absl::StatusOr<std::unique_ptr<ModuleSource>> source,
                                            absl::Duration start) {
  if (!source.ok()) return source.status();
  std::vector<NewModule> modules;
  FIRSTCALL_ASSIGN_OR_RETURN(modules.emplace_back(), Open(*std::move(source), LibraryId()));
  FIRSTCALL_ASSIGN_OR_RETURN(std::vector<ModuleId> ids, Add(std::move(modules), start));
  return ids.front();
}

absl::StatusOr<ModuleId> Engine::AddFile(const std::string& path) {
  const absl::Duration start = SteadyNow();
  return parts_->Add(ModuleSource::FromFileUnparsed(path), start);
}

absl::StatusOr<std::vector<ModuleId>> Engine::AddFiles(absl::Span<const std::string> paths) {
  std::vector<LibraryFile> files;
  for (const std::string& path : paths) files.push_back({path, ""});
  return AddFiles(files);
}

absl::StatusOr<std::vector<ModuleId>> Engine::AddFiles(absl::Span<const LibraryFile> files) {
  const absl::Duration start = SteadyNow();
  std::vector<Parts::NewModule> modules;
  for (const LibraryFile& file : files) {
    FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ModuleSource> source,
                               ModuleSource::FromFileUnparsed(file.path));
    const LibraryId library = [&] {
      const ForkScope scope;
      return parts_->definitions.LibraryNamed(file.library);
    }();
    FIRSTCALL_ASSIGN_OR_RETURN(modules.emplace_back(), parts_->Open(std::move(source), library));
  }
  return parts_->Add(std::move(modules), start);
}

absl::StatusOr<ModuleId> Engine::AddBitcode(absl::string_view bitcode, absl::string_view name) {
  const absl::Duration start = SteadyNow();
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(ToLlvm(bitcode), ToLlvm(name));
  return parts_->Add(ModuleSource::Unparsed(std::move(buffer), ModuleSource::Form::kBitcode),
                     start);
}

absl::StatusOr<ModuleId> Engine::AddAssembly(absl::string_view text, absl::string_view name) {
  const absl::Duration start = SteadyNow();
  // The parser needs a terminating zero, which a string_view may not have.
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(ToLlvm(text), ToLlvm(name));
  return parts_->Add(ModuleSource::Unparsed(std::move(buffer), ModuleSource::Form::kText), start);
}

absl::StatusOr<ModuleId> Engine::AddModule(std::unique_ptr<llvm::LLVMContext> context,
                                           std::unique_ptr<llvm::Module> module) {
  const absl::Duration start = SteadyNow();
  return parts_->Add(ModuleSource::FromModule(std::move(context), std::move(module)), start);
}

absl::Status Engine::AddObjectFile(const std::string& path, absl::string_view library) {
  WorkScope scope;
  FIRSTCALL_ASSIGN_OR_RETURN(ObjectBytes contents, ReadObjectFile(path));
  return parts_->precompiled.Add(path, std::move(contents), /*is_archive_member=*/false,
                                 parts_->definitions.LibraryNamed(library), parts_->definitions);
}

absl::Status Engine::AddArchive(const std::string& path, absl::string_view library) {
  WorkScope scope;
  const LibraryId id = parts_->definitions.LibraryNamed(library);
  return ForEachMember(path, [&](std::string name, ObjectBytes contents) {
    return parts_->precompiled.Add(std::move(name), std::move(contents), /*is_archive_member=*/true,
                                   id, parts_->definitions);
  });
}

absl::StatusOr<void*> Engine::LookupAddress(absl::string_view name) {
  absl::StatusOr<ExecutorAddress> address;
  DelegatingWorkScope(parts_->threads).Run([&] { address = parts_->resolver.Lookup(name); });
  if (!address.ok()) return address.status();
  return address->InThisProcess<void*>();
}

absl::Status Engine::Call(absl::string_view name, const ForeignValue& result,
                          absl::Span<const ForeignValue> arguments) {
  return Annotate(parts_->foreign_functions.Call(name, result, arguments),
                  absl::StrCat("calling '", name, "'"));
}

absl::StatusOr<std::vector<FunctionKey>> Engine::Parts::FunctionsNamed(
    absl::Span<const absl::string_view> names) {
  std::vector<FunctionKey> functions;
  for (absl::string_view name : names) {
    std::optional<Definition> found = definitions.Find(name);
    if (!found) {
      return absl::NotFoundError(absl::StrCat("preparing '", name, "': no module defines it"));
    }
    if (found->module == nullptr || !program.IsFunction(*found)) {
      FIRSTCALL_RETURN_IF_ERROR(resolver.Lookup(name).status());
    } else {
      functions.push_back({found->module, found->ordinal});
    }
  }
  return functions;
}

// The WorkScope keeps the listed modules until the preparation holds them itself.
absl::Status Engine::Parts::Prepare(
    absl::FunctionRef<absl::StatusOr<std::vector<FunctionKey>>()> list_functions,
    const PrepareOptions& prepare_options) {
  std::optional<Preparation> preparation;
  {
    WorkScope scope;
    FIRSTCALL_ASSIGN_OR_RETURN(std::vector<FunctionKey> listed, list_functions());
    preparation.emplace(std::move(listed), prepare_options, program);
  }
  return preparation->Run(threads);
}

absl::Status Engine::Prepare(absl::Span<const absl::string_view> names,
                             const PrepareOptions& options) {
  return parts_->Prepare([&] { return parts_->FunctionsNamed(names); }, options);
}

absl::Status Engine::PrepareAll(const PrepareOptions& options) {
  return parts_->Prepare([&] { return parts_->program.AllFunctions(); }, options);
}

absl::StatusOr<std::shared_ptr<SourceModule>> Engine::Parts::ModuleToEnd(ModuleId id,
                                                                         absl::string_view verb) {
  if (WorkScope::IsAtWork()) {
    return absl::FailedPreconditionError(
        absl::StrCat(verb, " a module: not possible from within a compile"));
  }
  std::shared_ptr<SourceModule> module = program.FindToEnd(id);
  if (module == nullptr) {
    return absl::NotFoundError(absl::StrCat(verb, " module ", id.value, ": there is none"));
  }
  return module;
}

// Call this in an ExclusiveWorkScope. NotFound if another thread has removed the module first.
absl::Status Engine::Parts::Forget(SourceModule& module, bool is_detached) {
  if (program.Remove(module.id()) == nullptr) {
    return absl::NotFoundError(absl::StrCat("'", module.name(), "' was removed meanwhile"));
  }
  definitions.Remove(module);
  foreign_functions.Remove(module.id());
  compiler.Remove(module);
  compiler_half.Remove(module.id());
  module.SetRemoved();
  listeners.OnRemoved({module.name(), module.object().code().code_bytes(), is_detached});
  return absl::OkStatus();
}

absl::Status Engine::Remove(ModuleId id) {
  Parts& parts = *parts_;
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<SourceModule> module,
                             parts.ModuleToEnd(id, "removing"));
  const absl::Cleanup ended = [&] { parts.program.StopEnding(id); };
  parts.program.RunDestructorsOf(*module);
  return parts.Drop(*module);
}

// Runs none of the module's code.
absl::Status Engine::Parts::Drop(SourceModule& module) {
  ExclusiveWorkScope scope;
  FIRSTCALL_RETURN_IF_ERROR(Forget(module, /*is_detached=*/false));
  functions.Remove(module);
  if (promoter != nullptr) promoter->Remove(module);
  // Handlers that were registered after the destructors ran would be called without their code.
  ExitHandlers dropped;
  exit_handlers.Move(module.object().dso_handle, dropped);
  module.object().unfinished = nullptr;
  module.object().owned_code = nullptr;
  return absl::OkStatus();
}

absl::Status Engine::Parts::CompileAll(SourceModule& module) {
  if (module.mode() == Mode::kEager) return absl::OkStatus();
  return Prepare([&] { return program.FunctionsOf(module); }, PrepareOptions());
}

// Links the module's data that other modules can name. Data that only the module's code names was
// linked with that code.
absl::StatusOr<SymbolAddresses> Engine::Parts::AddressesOf(SourceModule& module) {
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
          compiler.Compile({&module, ordinal}, FunctionCompiler::Reason::kOrdered).status());
    }
    if (symbol.is_local || symbol.is_thread_local) continue;
    FIRSTCALL_ASSIGN_OR_RETURN(addresses[symbol.name],
                               resolver.AddressOf(module, ordinal, ReferenceKind::kStub));
  }
  for (const AssemblySymbol& symbol : module.index().assembly_symbols()) {
    if (!symbol.is_global) continue;
    FIRSTCALL_ASSIGN_OR_RETURN(addresses[symbol.name],
                               objects.AddressIn(module.object(), symbol.name));
  }
  return addresses;
}

absl::StatusOr<std::unique_ptr<DetachedCode>> Engine::Detach(ModuleId id) {
  Parts& parts = *parts_;
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<SourceModule> module,
                             parts.ModuleToEnd(id, "detaching"));
  const absl::Cleanup ended = [&] { parts.program.StopEnding(id); };
  if (parts.program.MustBeConstructed(*module)) {
    return absl::FailedPreconditionError(
        absl::StrCat("detaching '", module->name(), "': its constructors have not run"));
  }
  FIRSTCALL_RETURN_IF_ERROR(parts.CompileAll(*module));
  auto detached = std::make_unique<DetachedCode::Parts>();
  detached->name = module->name();
  detached->code_space = parts.code_space;
  detached->failures = parts.failures;
  FIRSTCALL_ASSIGN_OR_RETURN(detached->addresses, parts.AddressesOf(*module));
  FIRSTCALL_ASSIGN_OR_RETURN(detached->destructors, parts.program.TakeDestructorsOf(*module));
  {
    ExclusiveWorkScope scope;
    FIRSTCALL_RETURN_IF_ERROR(parts.Forget(*module, /*is_detached=*/true));
    detached->stubs = parts.functions.Detach(*module);
    if (parts.promoter != nullptr) detached->counters = parts.promoter->Detach(*module);
    parts.exit_handlers.Move(module->object().dso_handle, detached->exit_handlers);
    detached->code = std::move(module->object().owned_code);
  }
  return std::make_unique<DetachedCode>(std::move(detached));
}

absl::Status Engine::RunConstructors() { return parts_->program.RunConstructors(); }

void Engine::RunDestructors() { parts_->program.RunDestructors(); }

absl::StatusOr<int> Engine::RunMain(absl::Span<const std::string> arguments,
                                    absl::string_view entry) {
  return parts_->program.RunMain(arguments, entry);
}

absl::Status Engine::CheckMain(absl::string_view entry) {
  WorkScope scope;
  return parts_->program.CheckMain(entry);
}

Stats Engine::stats() const {
  const ForkScope scope;
  Stats stats = parts_->stats.Collect();
  stats.stubs_made = parts_->code_space->stubs().size();
  if (parts_->promoter != nullptr) stats.promotions = parts_->promoter->Collect();
  stats.memory = parts_->code_space->arenas().usage();
  return stats;
}

}  // namespace firstcall

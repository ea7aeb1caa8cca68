#include "engine/engine.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "engine/compile_context.h"
#include "engine/compile_threads.h"
#include "engine/debugger_registration.h"
#include "engine/definitions.h"
#include "engine/exit_handlers.h"
#include "engine/function_compiler.h"
#include "engine/function_table.h"
#include "engine/listener_group.h"
#include "engine/module_cache.h"
#include "engine/object_linker.h"
#include "engine/precompiled.h"
#include "engine/preparation.h"
#include "engine/program.h"
#include "engine/signature.h"
#include "engine/symbol_resolver.h"
#include "engine/target.h"
#include "engine/work_scope.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "memory/arena.h"
#include "memory/unwind_registry.h"
#include "splitter/module_source.h"
#include "splitter/symbol_index.h"
#include "stubs/stub_architecture.h"

namespace firstcall {
namespace {

constexpr ModulePart kIndexPart{ModulePart::Kind::kIndex, SymbolOrdinal()};

llvm::StringRef ToLlvm(absl::string_view text) { return {text.data(), text.size()}; }

}  // namespace

// In the order they need each other; destroyed the other way round.
struct Engine::Parts {
  Parts(EngineOptions engine_options, Target engine_target, std::unique_ptr<Arena> engine_arena)
      : options(std::move(engine_options)),
        target(std::move(engine_target)),
        arena(std::move(engine_arena)),
        contexts(target, memory),
        functions(HostStubArchitecture(), *arena, unwind_registry,
                  [this](FunctionKey key) { return OnFirstCall(key); }),
        resolver(options, definitions, functions),
        objects(target, memory, resolver, listeners),
        threads(options.compile_threads),
        compiler(contexts, functions, resolver, objects, *arena, listeners, threads,
                 options.speculation_budget),
        program(contexts, definitions, resolver, compiler, objects, precompiled, exit_handlers,
                threads) {
    if (options.contain_crashes) crash_containment.emplace();
    resolver.Connect(objects, compiler);
    listeners.Add(stats);
    for (const std::shared_ptr<Listener>& listener : options.listeners) listeners.Add(*listener);
  }

  ExecutorAddress OnFirstCall(FunctionKey key);
  [[noreturn]] static void Fail(const absl::Status& status);
  [[noreturn]] static void FailInSignalHandler(absl::string_view function);
  struct NewModule {
    std::unique_ptr<ModuleSource> source;
    LibraryId library;
    std::unique_ptr<ModuleCache> cache;  // Null if there is none.
    std::optional<SymbolIndex> index;    // From the cache: then the source has not been read.
  };
  absl::StatusOr<NewModule> Open(std::unique_ptr<ModuleSource> source, LibraryId library);
  absl::StatusOr<std::vector<ModuleId>> Add(std::vector<NewModule> modules, absl::Time start);
  absl::StatusOr<ModuleId> Add(absl::StatusOr<std::unique_ptr<ModuleSource>> source,
                               absl::Time start);
  absl::StatusOr<SourceModule*> Add(NewModule module);

  const EngineOptions options;
  std::optional<CrashContainment> crash_containment;
  const Target target;
  const std::unique_ptr<Arena> arena;
  UnwindRegistry unwind_registry;
  DebuggerRegistration debugger_registration;
  const CodeMemory memory{*arena, unwind_registry, debugger_registration};
  StatsCollector stats;
  ListenerGroup listeners;
  ExitHandlers exit_handlers{*arena};
  PrecompiledObjects precompiled{exit_handlers};
  ContextPool contexts;
  Definitions definitions;
  FunctionTable functions;
  SymbolResolver resolver;
  ObjectLinker objects;
  CompileThreads threads;
  FunctionCompiler compiler;
  Program program;
};

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(EngineOptions options) {
  FIRSTCALL_ASSIGN_OR_RETURN(Target target, Target::Create(options));
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Arena> arena, Arena::Create(ArenaSizes::Default()));
  return std::unique_ptr<Engine>(
      new Engine(std::make_unique<Parts>(std::move(options), std::move(target), std::move(arena))));
}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Engine::~Engine() {
  RunDestructors();
  parts_->threads.Stop();
  if (parts_->options.object_cache != nullptr) parts_->options.object_cache->Flush();
}

void Engine::Parts::Fail(const absl::Status& status) {
  std::fprintf(stderr, "firstcall: %s\n", std::string(status.message()).c_str());
  std::exit(kFirstCallFailedExitStatus);
}

// Without locks, memory, or exit handlers, any of which may be what the signal has interrupted.
void Engine::Parts::FailInSignalHandler(absl::string_view function) {
  for (absl::string_view part :
       {absl::string_view("firstcall: function '"), function,
        absl::string_view("' is called for the first time in a signal handler, while its thread "
                          "compiles: prepare it before\n")}) {
    (void)!write(STDERR_FILENO, part.data(), part.size());
  }
  _exit(kFirstCallFailedExitStatus);
}

ExecutorAddress Engine::Parts::OnFirstCall(FunctionKey key) {
  if (WorkScope::IsInterrupted()) FailInSignalHandler(key.module->index().at(key.ordinal).name);
  absl::StatusOr<ExecutorAddress> body = compiler.Compile(key, FunctionCompiler::Reason::kCalled);
  if (body.ok()) return *body;
  if (options.failure_handler) {
    const FailedCall call{key.module->index().at(key.ordinal).name, key.module->name(),
                          body.status()};
    if (void* replacement = options.failure_handler(call)) return ExecutorAddress::Of(replacement);
  }
  Fail(body.status());
}

// Whoever finds the index in the cache need not read the source.
absl::StatusOr<Engine::Parts::NewModule> Engine::Parts::Open(std::unique_ptr<ModuleSource> source,
                                                             LibraryId library) {
  NewModule module;
  module.library = library;
  if (options.object_cache != nullptr) {
    module.cache = std::make_unique<ModuleCache>(*options.object_cache, source->name(),
                                                 SignatureOf(*source, target, options));
    std::optional<ObjectBytes> bytes = module.cache->Find(kIndexPart);
    absl::StatusOr<SymbolIndex> index = absl::NotFoundError("");
    if (bytes) index = SymbolIndex::Decode(absl::string_view(bytes->data(), bytes->size()));
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
  // The first view goes to the context that will compile first, because contexts are reused in
  // the order they were returned.
  std::shared_ptr<ModuleView> view;
  if (!added_module.index) {
    FIRSTCALL_ASSIGN_OR_RETURN(view, source->OpenView());
    absl::MutexLock lock(&view->mutex());
    FIRSTCALL_RETURN_IF_ERROR(where(target.Adopt(view->module())));
    absl::StatusOr<SymbolIndex> index = SymbolIndex::Build(*view);
    if (!index.ok()) return where(index.status());
    if (added_module.cache != nullptr) added_module.cache->Store(kIndexPart, index->Encode());
    added_module.index = *std::move(index);
  }
  FIRSTCALL_ASSIGN_OR_RETURN(DsoHandle * dso_handle, exit_handlers.MakeHandle());
  auto module = std::make_unique<SourceModule>(program.NextId(), added_module.library, options.mode,
                                               std::move(source), *std::move(added_module.index),
                                               *dso_handle, std::move(added_module.cache));
  FIRSTCALL_RETURN_IF_ERROR(where(definitions.Add(*module)));
  if (view != nullptr) contexts.Take()->SetView(*module, std::move(view));
  SourceModule* added = module.get();
  program.Add(std::move(module));
  return added;
}

absl::StatusOr<std::vector<ModuleId>> Engine::Parts::Add(std::vector<NewModule> modules,
                                                         absl::Time start) {
  WorkScope scope;
  std::vector<SourceModule*> added;
  for (NewModule& module : modules) {
    FIRSTCALL_ASSIGN_OR_RETURN(SourceModule * source_module, Add(std::move(module)));
    added.push_back(source_module);
  }
  std::vector<ModuleId> ids;
  for (SourceModule* module : added) {
    stats.OnModuleAdded(module->index().function_count(), absl::Now() - start);
    start = absl::Now();
    ids.push_back(module->id());
  }
  if (options.mode == Mode::kEager) {
    for (SourceModule* module : added) {
      ContextPool::Lease context = contexts.Take();
      FIRSTCALL_RETURN_IF_ERROR(objects.Link(module->object(), *context));
    }
  }
  return ids;
}

absl::StatusOr<ModuleId> Engine::Parts::Add(absl::StatusOr<std::unique_ptr<ModuleSource>> source,
                                            absl::Time start) {
  if (!source.ok()) return source.status();
  std::vector<NewModule> modules;
  FIRSTCALL_ASSIGN_OR_RETURN(modules.emplace_back(), Open(*std::move(source), LibraryId()));
  FIRSTCALL_ASSIGN_OR_RETURN(std::vector<ModuleId> ids, Add(std::move(modules), start));
  return ids.front();
}

absl::StatusOr<ModuleId> Engine::AddFile(const std::string& path) {
  const absl::Time start = absl::Now();
  return parts_->Add(ModuleSource::FromFileUnparsed(path), start);
}

absl::StatusOr<std::vector<ModuleId>> Engine::AddFiles(absl::Span<const std::string> paths) {
  std::vector<LibraryFile> files;
  for (const std::string& path : paths) files.push_back({path, ""});
  return AddFiles(files);
}

absl::StatusOr<std::vector<ModuleId>> Engine::AddFiles(absl::Span<const LibraryFile> files) {
  const absl::Time start = absl::Now();
  std::vector<Parts::NewModule> modules;
  for (const LibraryFile& file : files) {
    FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ModuleSource> source,
                               ModuleSource::FromFileUnparsed(file.path));
    FIRSTCALL_ASSIGN_OR_RETURN(
        modules.emplace_back(),
        parts_->Open(std::move(source), parts_->definitions.LibraryNamed(file.library)));
  }
  return parts_->Add(std::move(modules), start);
}

absl::StatusOr<ModuleId> Engine::AddBitcode(absl::string_view bitcode, absl::string_view name) {
  const absl::Time start = absl::Now();
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(ToLlvm(bitcode), ToLlvm(name));
  return parts_->Add(ModuleSource::Unparsed(std::move(buffer), ModuleSource::Form::kBitcode),
                     start);
}

absl::StatusOr<ModuleId> Engine::AddAssembly(absl::string_view text, absl::string_view name) {
  const absl::Time start = absl::Now();
  // The parser reads up to a terminating zero, which a view need not have.
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(ToLlvm(text), ToLlvm(name));
  return parts_->Add(ModuleSource::Unparsed(std::move(buffer), ModuleSource::Form::kText), start);
}

absl::StatusOr<ModuleId> Engine::AddModule(std::unique_ptr<llvm::LLVMContext> context,
                                           std::unique_ptr<llvm::Module> module) {
  const absl::Time start = absl::Now();
  return parts_->Add(ModuleSource::FromModule(std::move(context), std::move(module)), start);
}

absl::Status Engine::AddObjectFile(const std::string& path, absl::string_view library) {
  WorkScope scope;
  return parts_->precompiled.AddObjectFile(path, parts_->definitions.LibraryNamed(library),
                                           parts_->definitions);
}

absl::Status Engine::AddArchive(const std::string& path, absl::string_view library) {
  WorkScope scope;
  return parts_->precompiled.AddArchive(path, parts_->definitions.LibraryNamed(library),
                                        parts_->definitions);
}

absl::StatusOr<void*> Engine::LookupAddress(absl::string_view name) {
  absl::StatusOr<ExecutorAddress> address;
  DelegatingWorkScope(parts_->threads).Run([&] {
    ContextPool::Lease context = parts_->contexts.Take();
    address = parts_->resolver.Lookup(name, *context);
  });
  if (!address.ok()) return address.status();
  return address->InThisProcess<void*>();
}

absl::Status Engine::Prepare(absl::Span<const absl::string_view> names,
                             const PrepareOptions& options) {
  std::vector<FunctionKey> functions;
  for (absl::string_view name : names) {
    std::optional<Definition> found = parts_->definitions.Find(name);
    if (!found) {
      return absl::NotFoundError(absl::StrCat("preparing '", name, "': no module defines it"));
    }
    if (found->module == nullptr || !parts_->program.IsFunction(*found)) {
      FIRSTCALL_RETURN_IF_ERROR(LookupAddress(name).status());
    } else {
      functions.push_back({found->module, found->ordinal});
    }
  }
  return PrepareFunctions(std::move(functions), options, parts_->program, parts_->threads);
}

absl::Status Engine::PrepareAll(const PrepareOptions& options) {
  return PrepareFunctions(parts_->program.AllFunctions(), options, parts_->program,
                          parts_->threads);
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
  Stats stats = parts_->stats.Collect();
  stats.stubs_made = parts_->functions.stub_count();
  return stats;
}

}  // namespace firstcall

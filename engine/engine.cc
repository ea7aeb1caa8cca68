#include "engine/engine.h"

#include <optional>
#include <utility>

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
#include "runtime/listener_group.h"
#include "runtime/module_cache.h"
#include "runtime/runtime.h"
#include "runtime/symbol_resolver.h"
#include "runtime/work_scope.h"
#include "splitter/module_source.h"

namespace firstcall {
namespace {

constexpr ModulePart kIndexPart{ModulePart::Kind::kIndex, SymbolOrdinal()};

llvm::StringRef ToLlvm(absl::string_view text) { return {text.data(), text.size()}; }

}  // namespace

// Each part may use those before it. They are destroyed in the reverse order.
struct Engine::Parts {
  Parts(EngineOptions engine_options, Target engine_target, std::shared_ptr<CodeSpace> code_space)
      : options(std::move(engine_options)),
        target(std::move(engine_target)),
        optimizing_target(target.ThatOptimizes()),
        compiler(target, optimizing_target, Promotes(options), listeners, crash_containment),
        runtime(RuntimeOptionsFrom(options), compiler, listeners, std::move(code_space)) {
    for (const std::shared_ptr<Listener>& listener : options.listeners) listeners.Add(*listener);
  }

  static bool Promotes(const EngineOptions& options) {
    return options.mode == Mode::kLazy && options.tier == Tier::kAuto;
  }
  static SymbolResolver::Outside OutsideOf(const EngineOptions& options);
  RuntimeOptions RuntimeOptionsFrom(const EngineOptions& options) const;

  // A source that is about to be added.
  struct NewSource {
    std::unique_ptr<ModuleSource> source;
    LibraryId library;
    bool is_far = false;                 // See SourceModule.
    std::unique_ptr<ModuleCache> cache;  // Null if there is none.
    std::optional<SymbolIndex> index;    // From the cache: then the source is not read.
  };
  absl::StatusOr<NewSource> Open(std::unique_ptr<ModuleSource> source, LibraryId library);
  absl::StatusOr<std::vector<ModuleId>> Add(std::vector<NewSource> sources, absl::Duration start);
  absl::StatusOr<ModuleId> Add(absl::StatusOr<std::unique_ptr<ModuleSource>> source,
                               absl::Duration start);
  absl::Status AddInScope(std::vector<NewSource> sources, absl::Duration start,
                          std::vector<ModuleId>& ids);
  absl::StatusOr<SourceModule*> Add(NewSource source, absl::Duration start);

  const EngineOptions options;
  // Null unless crashes are contained. Shared, because an optimization may outlive the engine.
  const std::shared_ptr<const CrashContainment> crash_containment =
      options.contain_crashes ? std::make_shared<const CrashContainment>() : nullptr;
  const Target target;
  const Target optimizing_target;
  ListenerGroup listeners;
  InProcessCompiler compiler;
  Runtime runtime;
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

RuntimeOptions Engine::Parts::RuntimeOptionsFrom(const EngineOptions& options) const {
  RuntimeOptions result;
  result.mode = options.mode;
  result.promotes = Promotes(options);
  result.promotion = options.promotion;
  result.compile_threads = options.compile_threads;
  result.speculation_budget = options.speculation_budget;
  result.failure_handler = options.failure_handler;
  result.outside = OutsideOf(options);
  result.other_linkers = [this] { return std::make_unique<McjitLinker>(target); };
  return result;
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
  std::shared_ptr<CodeSpace> code_space =
      Runtime::MakeCodeSpace(std::move(arenas), std::move(memory));
  return std::unique_ptr<Engine>(new Engine(
      std::make_unique<Parts>(std::move(options), std::move(target), std::move(code_space))));
}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Engine::~Engine() {
  RunDestructors();
  const CompilerFloatingPoint floating_point;
  parts_->runtime.Stop();
  if (parts_->options.object_cache != nullptr) {
    const ForkScope scope;
    parts_->options.object_cache->Flush();
  }
  parts_ = nullptr;
}

// If the cache has the index, the source is not read.
absl::StatusOr<Engine::Parts::NewSource> Engine::Parts::Open(std::unique_ptr<ModuleSource> source,
                                                             LibraryId library) {
  const CompilerFloatingPoint floating_point;
  NewSource module;
  module.library = library;
  module.is_far = runtime.MustBeFar();
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

absl::StatusOr<SourceModule*> Engine::Parts::Add(NewSource added, absl::Duration start) {
  Runtime::NewModule module;
  module.id = runtime.NextId();
  module.name = added.source->name();
  module.library = added.library;
  module.is_far = added.is_far;
  module.is_reopenable = added.source->is_reopenable();
  module.cache = std::move(added.cache);
  const std::string where = absl::StrCat("'", module.name, "'");
  const bool is_known = added.index.has_value();
  absl::StatusOr<std::shared_ptr<const SymbolIndex>> index =
      compiler.Add(module.id, std::move(added.source), std::move(added.index));
  if (!index.ok()) return Annotate(index.status(), where);
  if (!is_known && module.cache != nullptr) module.cache->Store(kIndexPart, (*index)->Encode());
  module.index = *std::move(index);
  const ModuleId id = module.id;
  absl::StatusOr<SourceModule*> result = runtime.Add(std::move(module), start);
  if (result.ok()) return result;
  compiler.Remove(id);
  return Annotate(result.status(), where);
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
    FIRSTCALL_ASSIGN_OR_RETURN(SourceModule * module, Add(std::move(source), start));
    added.push_back(module);
    ids.push_back(module->id());
    start = SteadyNow();
  }
  if (options.mode == Mode::kEager) {
    for (SourceModule* module : added) FIRSTCALL_RETURN_IF_ERROR(runtime.LinkWhole(*module));
  }
  return absl::OkStatus();
}

absl::StatusOr<ModuleId> Engine::Parts::Add(absl::StatusOr<std::unique_ptr<ModuleSource>> source,
                                            absl::Duration start) {
  if (!source.ok()) return source.status();
  std::vector<NewSource> modules;
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
  std::vector<Parts::NewSource> modules;
  for (const LibraryFile& file : files) {
    FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ModuleSource> source,
                               ModuleSource::FromFileUnparsed(file.path));
    const LibraryId library = parts_->runtime.LibraryNamed(file.library);
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
  return parts_->runtime.AddObject(path, std::move(contents), /*is_archive_member=*/false,
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

absl::Status Engine::RunConstructors() { return parts_->runtime.RunConstructors(); }

void Engine::RunDestructors() { parts_->runtime.RunDestructors(); }

absl::StatusOr<int> Engine::RunMain(absl::Span<const std::string> arguments,
                                    absl::string_view entry) {
  return parts_->runtime.RunMain(arguments, entry);
}

absl::Status Engine::CheckMain(absl::string_view entry) { return parts_->runtime.CheckMain(entry); }

Stats Engine::stats() const { return parts_->runtime.Collect(); }

}  // namespace firstcall

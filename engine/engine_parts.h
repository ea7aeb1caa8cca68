// The parts of an engine, for the files of this folder that implement it.
//
// Thread-safe, except for construction and destruction. Tested in tests/api.

#ifndef FIRSTCALL_ENGINE_ENGINE_PARTS_H_
#define FIRSTCALL_ENGINE_ENGINE_PARTS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/ids.h"
#include "base/module_contents.h"
#include "engine/compiler_provider.h"
#include "engine/engine.h"
#include "engine/options.h"
#include "runtime/link/code_space.h"
#include "runtime/link/module_cache.h"
#include "runtime/link/source_module.h"
#include "runtime/process/compiler_pair.h"
#include "runtime/process/deferred_compiler.h"
#include "runtime/process/event_source.h"
#include "runtime/process/listener_group.h"
#include "runtime/process/shared_libraries.h"
#include "runtime/program/runtime.h"
#include "seam/symbol_index.h"

namespace firstcall {

// Each part may use those before it. They are destroyed in the reverse order.
struct Engine::Parts {
  // `served` is the provider itself if it is this engine's own.
  Parts(EngineOptions engine_options, CompilerProvider& compiler_provider,
        std::unique_ptr<CompilerProvider> served, std::shared_ptr<EventSource> event_source,
        std::shared_ptr<CodeSpace> code_space, std::shared_ptr<const SharedLibraries> libraries,
        const DescribedCodeOptions& described);

  // A source that is about to be added.
  struct NewSource {
    std::string name;
    LibraryId library;
    std::string digest;          // Of the contents; empty if there is no cache.
    bool is_reopenable = false;  // See SourceModule.
    // Adds the source to the compiler. The index is null unless it is known.
    std::function<absl::StatusOr<std::shared_ptr<const SymbolIndex>>(
        ModuleId id, std::shared_ptr<const SymbolIndex> index)>
        add;
    bool is_far = false;                       // Set by Open, as the others below.
    std::unique_ptr<ModuleCache> cache;        // Null if there is none.
    std::shared_ptr<const SymbolIndex> index;  // From the cache; null if it is not there.
  };
  NewSource SourceOf(ModuleContents contents, LibraryId library);
  // Looks for the indexes in the cache.
  void Open(std::vector<NewSource>& sources);
  absl::StatusOr<std::vector<ModuleId>> Add(std::vector<NewSource> sources, absl::Duration start);
  absl::StatusOr<ModuleId> Add(NewSource source, absl::Duration start);
  absl::Status AddInScope(std::vector<NewSource> sources, absl::Duration start,
                          std::vector<ModuleId>& ids);
  absl::StatusOr<SourceModule*> AddOpened(NewSource source, absl::Duration start);
  void LookForEarlierVersion(Runtime::NewModule& module);
  // The compiler that is asked.
  Compiler& front() { return pair == nullptr ? static_cast<Compiler&>(compiler) : *pair; }
  bool has_cache() const { return options.object_cache != nullptr; }

  const EngineOptions options;
  const std::unique_ptr<CompilerProvider> own_provider;  // Null if it outlives the engine.
  CompilerProvider& provider;
  const CompilerSettings compiler_settings;
  ListenerGroup listeners;
  // Null if nobody listens. Memory may be freed when the engine is gone.
  const std::shared_ptr<EventSource> events;
  DeferredCompiler compiler;
  const std::unique_ptr<CompilerPair> pair;  // Null if there is only that compiler.
  Runtime runtime;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_ENGINE_PARTS_H_

// The runtime half put together: source modules whose functions are compiled when they are first
// called, their data, and the program that they form. It is independent of what compiles.
//
// Thread-safe, except for the destructor. Tested in tests/runtime/runtime_test.cc and tests/api.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_RUNTIME_H_
#define FIRSTCALL_RUNTIME_PROGRAM_RUNTIME_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "foreign/foreign_value.h"
#include "object/object_bytes.h"
#include "runtime/functions/body_describer.h"
#include "runtime/functions/body_descriptions.h"
#include "runtime/functions/function_compiler.h"
#include "runtime/link/code_space.h"
#include "runtime/link/linkage.h"
#include "runtime/link/module_cache.h"
#include "runtime/link/source_module.h"
#include "runtime/process/compile_threads.h"
#include "runtime/process/exit_handlers.h"
#include "runtime/process/listener_group.h"
#include "runtime/program/detached_code.h"
#include "runtime/program/foreign_functions.h"
#include "runtime/program/module_removal.h"
#include "runtime/program/program.h"
#include "runtime/program/removed_code.h"
#include "runtime/program/source_modules.h"
#include "runtime/promotion/counting_bodies.h"
#include "runtime/promotion/optimized_bodies.h"
#include "runtime/promotion/promoter.h"
#include "seam/compiler.h"
#include "seam/options.h"
#include "seam/stats.h"
#include "seam/symbol_index.h"

namespace firstcall {

// What is found out about code that was compiled without debug information.
struct DescribedCodeOptions {
  // Code is described for a debugger that attaches (BodyDescriptions).
  bool describes_bodies = false;
  // The lines of first bodies are found when the bodies are published (BodyDescriber).
  bool finds_lines = false;
};

struct RuntimeOptions : Linkage::Options, DescribedCodeOptions {
  // Functions start with a first body that an optimized one may replace.
  bool promotes = false;
  PromotionOptions promotion;
  size_t compile_threads = 0;
  absl::Duration speculation_budget = absl::ZeroDuration();
};

class Runtime {
 public:
  // Memory for code, with the handler of first calls. `block_observer` may be empty.
  static std::shared_ptr<CodeSpace> MakeCodeSpace(std::shared_ptr<ArenaMemory> arenas,
                                                  std::shared_ptr<MemoryManager> memory,
                                                  CodeSpace::BlockObserver block_observer);

  // Adds a listener to `listeners`, which collects the statistics. `compiler` and `listeners` must
  // outlive the runtime.
  Runtime(RuntimeOptions options, Compiler& compiler, ListenerGroup& listeners,
          std::shared_ptr<CodeSpace> code_space);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Stores the start objects of the modules that have a cache.
  void StoreStartObjects();

  // Ends the threads. Call this once, before the destructor, and no other function after it.
  void Stop();

  // --- Modules and objects ---

  LibraryId LibraryNamed(absl::string_view name);

  // Whether the code of a module that is added now must be able to lie anywhere.
  bool MustBeFar() const;

  ModuleId NextId() { return modules_.NextId(); }

  // A module that the compiler has, under `id`.
  struct NewModule {
    ModuleId id;
    std::string name;
    LibraryId library;
    Mode mode = Mode::kLazy;
    bool is_far = false;         // See SourceModule.
    bool is_reopenable = false;  // See SourceModule.
    std::shared_ptr<const SymbolIndex> index;
    std::unique_ptr<ModuleCache> cache;  // Null if there is none.
  };

  // Adds a module whose loading has begun at `start`, on the clock of SteadyNow. The caller is in a
  // WorkScope. AlreadyExists if a symbol is defined already; ResourceExhausted if there is no
  // memory. After an error, the caller must remove the module from the compiler.
  absl::StatusOr<SourceModule*> Add(NewModule module, absl::Duration start);

  // Compiles and links a module that was added in eager mode. The caller is in a WorkScope.
  absl::Status LinkWhole(SourceModule& module);

  // As PrecompiledObjects::Add. The caller is in a WorkScope.
  absl::Status AddObject(std::string name, ObjectBytes contents, bool is_archive_member,
                         LibraryId library);

  // Removes modules that were added and whose code has not run.
  void Drop(absl::Span<const ModuleId> modules);

  // As in Engine.
  absl::Status Remove(ModuleId id);
  absl::StatusOr<std::unique_ptr<DetachedCode>> Detach(ModuleId id);

  // --- Functions: as in Engine ---

  absl::StatusOr<void*> LookupAddress(absl::string_view name);
  absl::StatusOr<void*> LookupAddress(ModuleId id, absl::string_view name);
  absl::Status Call(absl::string_view name, const ForeignValue& result,
                    absl::Span<const ForeignValue> arguments);
  absl::Status Prepare(absl::Span<const absl::string_view> names, const PrepareOptions& options);
  absl::Status PrepareAll(const PrepareOptions& options);

  // --- The program: as in Engine ---

  absl::Status RunConstructors(absl::Span<const std::string> arguments) {
    return program_.RunConstructors(arguments);
  }
  void RunDestructors() { program_.RunDestructors(); }
  absl::StatusOr<int> RunMain(absl::Span<const std::string> arguments, absl::string_view entry);
  absl::Status CheckMain(absl::string_view entry);

  Stats Collect() const;

 private:
  // Each part may use those before it. They are destroyed in the reverse order.
  ListenerGroup& listeners_;
  const std::shared_ptr<CodeSpace> code_space_;
  StatsCollector stats_;
  ExitHandlers exit_handlers_;
  RemovedCode removed_code_;
  Linkage linkage_;
  OptimizedBodies optimized_bodies_;
  CountingBodies counting_bodies_;
  BodyDescriber describer_;
  BodyDescriptions descriptions_;
  const std::unique_ptr<Promoter> promoter_;  // Null unless functions are replaced.
  CompileThreads threads_;
  FunctionCompiler function_compiler_;
  SourceModules modules_;
  Program program_;
  ForeignFunctions foreign_functions_;
  ModuleRemoval removal_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_RUNTIME_H_

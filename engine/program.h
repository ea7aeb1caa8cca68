// The source modules of an engine in the order they were added, and what runs before and after a
// program: constructors, the entry function, exit handlers, destructors.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_PROGRAM_H_
#define FIRSTCALL_ENGINE_PROGRAM_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "engine/compile_context.h"
#include "engine/compile_threads.h"
#include "engine/definitions.h"
#include "engine/entry_point.h"
#include "engine/exit_handlers.h"
#include "engine/exit_hook.h"
#include "engine/function_compiler.h"
#include "engine/object_linker.h"
#include "engine/precompiled.h"
#include "engine/source_module.h"
#include "engine/symbol_resolver.h"

namespace firstcall {

class Program {
 public:
  // All must outlive the program.
  Program(ContextPool& contexts, const Definitions& definitions, SymbolResolver& resolver,
          FunctionCompiler& compiler, ObjectLinker& objects, PrecompiledObjects& precompiled,
          ExitHandlers& exit_handlers, CompileThreads& threads)
      : contexts_(contexts),
        definitions_(definitions),
        resolver_(resolver),
        compiler_(compiler),
        objects_(objects),
        precompiled_(precompiled),
        exit_handlers_(exit_handlers),
        threads_(threads) {}

  ModuleId NextId() ABSL_LOCKS_EXCLUDED(mutex_);
  void Add(std::unique_ptr<SourceModule> module) ABSL_LOCKS_EXCLUDED(mutex_);

  // As in Engine.
  absl::Status RunConstructors() ABSL_LOCKS_EXCLUDED(mutex_);
  void RunDestructors() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<int> RunMain(absl::Span<const std::string> arguments, absl::string_view entry);
  absl::Status CheckMain(absl::string_view entry);

  // Where to call a function of a module, after compiling it.
  absl::StatusOr<ExecutorAddress> Prepare(SourceModule& module, SymbolOrdinal function,
                                          FunctionCompiler::Reason reason);

  // Whether a definition of a module is code.
  bool IsFunction(const Definition& definition) const;

  // Every function that a module defines and that no other definition replaces.
  std::vector<FunctionKey> AllFunctions() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A constructor or destructor of a source module, or of an object file.
  struct LifecycleStep {
    int64_t priority;
    SourceModule* module;  // Null for an object file's, of which only the address is known.
    SymbolOrdinal function;
    ExecutorAddress address;
  };
  using Steps = std::vector<LifecycleStep>;

  // How to call `entry`, which `found` is set to, as main.
  absl::StatusOr<EntryPoint> FindMain(absl::string_view entry, std::optional<Definition>& found);

  // The modules that are still to be constructed; from now on they count as constructed.
  std::vector<SourceModule*> TakeModulesToConstruct() ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<SourceModule*> TakeModulesToDestroy() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<Steps> TakeConstructors() ABSL_LOCKS_EXCLUDED(mutex_);
  Steps TakeDestructors() ABSL_LOCKS_EXCLUDED(mutex_);

  ContextPool& contexts_;
  const Definitions& definitions_;
  SymbolResolver& resolver_;
  FunctionCompiler& compiler_;
  ObjectLinker& objects_;
  PrecompiledObjects& precompiled_;
  ExitHandlers& exit_handlers_;
  CompileThreads& threads_;
  absl::Mutex mutex_;
  uint32_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<SourceModule>> modules_ ABSL_GUARDED_BY(mutex_);
  size_t constructed_ ABSL_GUARDED_BY(mutex_) = 0;  // The first so many modules.
  std::vector<SourceModule*> to_destroy_ ABSL_GUARDED_BY(mutex_);
  std::optional<ExitHook> exit_hook_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_PROGRAM_H_

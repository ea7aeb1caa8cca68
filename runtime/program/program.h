// The source modules of an engine in the order of addition, and the code that runs before and after
// a program: constructors, the entry function, exit handlers, destructors.
//
// Thread-safe.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_PROGRAM_H_
#define FIRSTCALL_RUNTIME_PROGRAM_PROGRAM_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "runtime/functions/function_compiler.h"
#include "runtime/link/definitions.h"
#include "runtime/link/object_constructors.h"
#include "runtime/link/object_linker.h"
#include "runtime/link/precompiled.h"
#include "runtime/link/source_module.h"
#include "runtime/link/symbol_resolver.h"
#include "runtime/process/compile_threads.h"
#include "runtime/process/exit_handlers.h"
#include "runtime/process/exit_hook.h"
#include "runtime/program/construction.h"
#include "seam/compiler.h"
#include "seam/entry_point.h"
#include "seam/event.h"

namespace firstcall {

class Program {
 public:
  // All must outlive the program.
  Program(Compiler& compiler_half, const Definitions& definitions, SymbolResolver& resolver,
          FunctionCompiler& compiler, ObjectLinker& objects,
          ObjectConstructors& object_constructors, PrecompiledObjects& precompiled,
          ExitHandlers& exit_handlers, CompileThreads& threads)
      : compiler_half_(compiler_half),
        definitions_(definitions),
        resolver_(resolver),
        compiler_(compiler),
        objects_(objects),
        object_constructors_(object_constructors),
        precompiled_(precompiled),
        exit_handlers_(exit_handlers),
        threads_(threads) {}

  ModuleId NextId() ABSL_LOCKS_EXCLUDED(mutex_);
  void Add(std::shared_ptr<SourceModule> module) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the module, which exists as long as the caller holds it; null if no module has that
  // identifier.
  std::shared_ptr<SourceModule> Find(ModuleId id) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether `module` has constructors that have not run.
  bool MustBeConstructed(const SourceModule& module) const {
    return construction_.IsUnfinished(module);
  }

  // Like Find, for a caller that is going to remove or detach the module. Also null if another
  // caller has claimed it. The caller must call ReleaseClaim in the end, whether or not the module
  // was removed.
  std::shared_ptr<SourceModule> ClaimForRemoval(ModuleId id) ABSL_LOCKS_EXCLUDED(mutex_);
  void ReleaseClaim(ModuleId id) ABSL_LOCKS_EXCLUDED(mutex_);

  // Takes a module off the lists and returns it; null if it is not on them.
  std::shared_ptr<SourceModule> Remove(ModuleId id) ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs the exit handlers that `module` has registered. Then runs its destructors, if its
  // constructors have run and its destructors have not.
  void RunDestructorsOf(SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

  // Compiles the destructors of `module` and returns those that RunDestructorsOf would run, in that
  // order. This program no longer runs them.
  absl::StatusOr<std::vector<ExecutorAddress>> TakeDestructorsOf(SourceModule& module)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // As in Engine.
  absl::Status RunConstructors(absl::Span<const std::string> arguments) ABSL_LOCKS_EXCLUDED(mutex_);
  void RunDestructors() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<int> RunMain(absl::Span<const std::string> arguments, absl::string_view entry);
  absl::Status CheckMain(absl::string_view entry);

  // Compiles a function of a module and returns the address to call it at.
  absl::StatusOr<ExecutorAddress> Prepare(SourceModule& module, SymbolOrdinal function,
                                          CompileReason reason);

  std::vector<std::shared_ptr<SourceModule>> AllModules() ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether a definition of a module is a function or an ifunc.
  bool IsFunction(const Definition& definition) const;

  // The functions that are known by `name`, their Symbol::name, only within their modules.
  std::vector<FunctionKey> LocalFunctionsNamed(absl::string_view name) ABSL_LOCKS_EXCLUDED(mutex_);

  // All functions that modules define and that no other definition replaces.
  std::vector<FunctionKey> AllFunctions() ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<FunctionKey> FunctionsOf(SourceModule& module) const;

 private:
  using Steps = Construction::Steps;

  // The program's code may keep its arguments for later: constructors until the program ends, main
  // for the exit handlers.
  using KeptArguments = std::shared_ptr<const ProgramArguments>;
  absl::Status RunConstructors(const KeptArguments& arguments) ABSL_LOCKS_EXCLUDED(mutex_);

  // Finds out how to call `entry` as main, and sets `found` to its definition.
  absl::StatusOr<EntryPoint> FindMain(absl::string_view entry, std::optional<Definition>& found);

  // Has destructors run when the process exits.
  void HookExit() ABSL_LOCKS_EXCLUDED(mutex_);
  static bool IsRemoved(const SourceModule& module);
  static void AddDestructors(SourceModule& module, Steps& steps);
  static void SortInReverse(Steps& steps);
  // Runs the steps in reverse. After each step, runs the exit handlers of `handle`, or all exit
  // handlers if `handle` is null.
  void RunInReverse(Steps steps, const DsoHandle* handle);
  absl::StatusOr<Steps> TakeConstructors() ABSL_LOCKS_EXCLUDED(mutex_);
  Steps TakeDestructors() ABSL_LOCKS_EXCLUDED(mutex_);

  Compiler& compiler_half_;
  const Definitions& definitions_;
  SymbolResolver& resolver_;
  FunctionCompiler& compiler_;
  ObjectLinker& objects_;
  ObjectConstructors& object_constructors_;
  PrecompiledObjects& precompiled_;
  ExitHandlers& exit_handlers_;
  CompileThreads& threads_;
  Construction construction_;
  // In the order of addition, which is the order of the identifiers.
  using Modules = absl::btree_map<ModuleId, std::shared_ptr<SourceModule>>;

  mutable absl::Mutex mutex_;
  uint32_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  Modules modules_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<ModuleId> claimed_ ABSL_GUARDED_BY(mutex_);
  std::optional<ExitHook> exit_hook_ ABSL_GUARDED_BY(mutex_);
  std::vector<KeptArguments> arguments_of_constructors_ ABSL_GUARDED_BY(mutex_);
  KeptArguments arguments_of_main_ ABSL_GUARDED_BY(mutex_);  // Of the last call.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_PROGRAM_H_

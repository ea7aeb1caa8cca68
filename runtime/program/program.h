// The life of a program: the entry function, and the code that runs before and after it, which are
// constructors, exit handlers and destructors.
//
// Thread-safe. Tested in tests/api/constructors_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_PROGRAM_H_
#define FIRSTCALL_RUNTIME_PROGRAM_PROGRAM_H_

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
#include "runtime/functions/function_compiler.h"
#include "runtime/link/definitions.h"
#include "runtime/link/linkage.h"
#include "runtime/link/source_module.h"
#include "runtime/process/compile_threads.h"
#include "runtime/process/exit_handlers.h"
#include "runtime/process/exit_hook.h"
#include "runtime/program/construction.h"
#include "runtime/program/d_modules.h"
#include "seam/compiler.h"
#include "seam/entry_point.h"
#include "seam/event.h"

namespace firstcall {

class Program {
 public:
  // All must outlive the program.
  Program(Compiler& compiler_half, Linkage& linkage, FunctionCompiler& compiler,
          ExitHandlers& exit_handlers, CompileThreads& threads, Construction& construction)
      : compiler_half_(compiler_half),
        linkage_(linkage),
        compiler_(compiler),
        exit_handlers_(exit_handlers),
        threads_(threads),
        construction_(construction),
        d_modules_(linkage, construction) {}

  // FailedPrecondition if D's runtime calls constructors of `module` just now, on this thread.
  absl::Status CheckMayBeRemoved(const SourceModule& module);
  // FailedPrecondition if D's runtime knows `module`, which refers to the program's other modules.
  absl::Status CheckMayBeDetached(const SourceModule& module);

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
  absl::Status CheckMain(absl::string_view entry) ABSL_LOCKS_EXCLUDED(mutex_);

  // Compiles a function of a module and returns the address to call it at.
  absl::StatusOr<ExecutorAddress> Prepare(SourceModule& module, SymbolOrdinal function,
                                          CompileReason reason);

 private:
  using Steps = Construction::Steps;

  // The program's code may keep its arguments for later: constructors until the program ends, main
  // for the exit handlers.
  using KeptArguments = std::shared_ptr<const ProgramArguments>;
  absl::Status RunConstructors(const KeptArguments& arguments) ABSL_LOCKS_EXCLUDED(mutex_);

  // Finds out how to call `entry` as main, and sets `found` to its definition. Keeps the answer:
  // when all functions have been compiled, the module may be gone.
  absl::StatusOr<EntryPoint> FindMain(absl::string_view entry, std::optional<Definition>& found)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Has destructors run when the process exits.
  void HookExit() ABSL_LOCKS_EXCLUDED(mutex_);
  // Runs the steps in reverse. After each step, runs the exit handlers of `handle`, or all exit
  // handlers if `handle` is null.
  void RunInReverse(Steps steps, const DsoHandle* handle);
  absl::StatusOr<Steps> TakeConstructors() ABSL_LOCKS_EXCLUDED(mutex_);
  Steps TakeDestructors() ABSL_LOCKS_EXCLUDED(mutex_);

  Compiler& compiler_half_;
  Linkage& linkage_;
  FunctionCompiler& compiler_;
  ExitHandlers& exit_handlers_;
  CompileThreads& threads_;
  Construction& construction_;
  DModules d_modules_;
  absl::Mutex mutex_;
  std::optional<ExitHook> exit_hook_ ABSL_GUARDED_BY(mutex_);
  std::vector<KeptArguments> arguments_of_constructors_ ABSL_GUARDED_BY(mutex_);
  KeptArguments arguments_of_main_ ABSL_GUARDED_BY(mutex_);  // Of the last call.
  struct KnownMain {
    ModuleId module;
    SymbolOrdinal function;
    EntryPoint entry_point;
  };
  std::optional<KnownMain> known_main_ ABSL_GUARDED_BY(mutex_);  // What FindMain has found last.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_PROGRAM_H_

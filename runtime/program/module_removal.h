// Takes modules out of a running program: removes a module, or detaches its code, which then works
// without the engine. What other modules still need of a removed module stays.
//
// Thread-safe. Tested in tests/api/removal_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_MODULE_REMOVAL_H_
#define FIRSTCALL_RUNTIME_PROGRAM_MODULE_REMOVAL_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "object/symbol_addresses.h"
#include "runtime/functions/function_compiler.h"
#include "runtime/link/code_space.h"
#include "runtime/link/linkage.h"
#include "runtime/link/source_module.h"
#include "runtime/process/compile_threads.h"
#include "runtime/process/exit_handlers.h"
#include "runtime/process/listener_group.h"
#include "runtime/program/detached_code.h"
#include "runtime/program/foreign_functions.h"
#include "runtime/program/program.h"
#include "runtime/program/removed_code.h"
#include "runtime/program/source_modules.h"
#include "runtime/promotion/promoter.h"
#include "seam/compiler.h"

namespace firstcall {

class ModuleRemoval {
 public:
  // All must outlive this; detached code shares `code_space`. `promoter` is null if functions are
  // never replaced.
  ModuleRemoval(Compiler& compiler, ListenerGroup& listeners,
                const std::shared_ptr<CodeSpace>& code_space, ExitHandlers& exit_handlers,
                RemovedCode& removed_code, Linkage& linkage, Promoter* promoter,
                CompileThreads& threads, FunctionCompiler& function_compiler,
                SourceModules& modules, Program& program, ForeignFunctions& foreign_functions)
      : compiler_(compiler),
        listeners_(listeners),
        code_space_(code_space),
        exit_handlers_(exit_handlers),
        removed_code_(removed_code),
        linkage_(linkage),
        promoter_(promoter),
        threads_(threads),
        function_compiler_(function_compiler),
        modules_(modules),
        program_(program),
        foreign_functions_(foreign_functions) {}

  // As in Engine. Both wait until no other thread is at work, and run code of the module. Detach
  // also compiles what is not compiled yet. FailedPrecondition if the calling thread is at work;
  // NotFound if there is no such module, or another thread is removing it.
  absl::Status Remove(ModuleId id);
  absl::StatusOr<std::unique_ptr<DetachedCode>> Detach(ModuleId id);

  // Removes a module whose code has not run, and runs none of its code. Waits until no other thread
  // is at work. NotFound if another thread has removed the module first.
  absl::Status Drop(SourceModule& module);

 private:
  absl::StatusOr<std::shared_ptr<SourceModule>> Claim(ModuleId id, absl::string_view verb);
  // Takes `module` off all lists. Call this in an ExclusiveWorkScope. NotFound if another thread
  // has removed the module first.
  absl::Status Forget(SourceModule& module, bool is_detached);
  // The modules in which a definition of `module` replaces theirs.
  std::vector<std::shared_ptr<SourceModule>> UsersOf(const SourceModule& module) const;
  // Gives other modules the addresses of the definitions that they share with `module`, which is
  // being removed.
  void BindShared(SourceModule& module);
  // Definitions of `removed` may have replaced definitions of other modules: has these choices made
  // anew. Returns whether code of other modules has addresses of variables of `removed`, as C++
  // modules have of the inline variables that they share. To be called in an ExclusiveWorkScope.
  bool SharesVariables(const SourceModule& removed);
  absl::Status CompileAll(SourceModule& module);
  absl::StatusOr<SymbolAddresses> AddressesOf(SourceModule& module);

  Compiler& compiler_;
  ListenerGroup& listeners_;
  const std::shared_ptr<CodeSpace>& code_space_;
  ExitHandlers& exit_handlers_;
  RemovedCode& removed_code_;
  Linkage& linkage_;
  Promoter* const promoter_;
  CompileThreads& threads_;
  FunctionCompiler& function_compiler_;
  SourceModules& modules_;
  Program& program_;
  ForeignFunctions& foreign_functions_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_MODULE_REMOVAL_H_

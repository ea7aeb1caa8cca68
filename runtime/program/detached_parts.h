// The parts of a DetachedCode. Only the engine, which makes them, uses this.
//
// Constant once they belong to a DetachedCode, with two exceptions: the exit handlers, which
// synchronize themselves, and the fields that its destructor and the end of the process change.
// Tested in tests/api/removal_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_DETACHED_PARTS_H_
#define FIRSTCALL_RUNTIME_PROGRAM_DETACHED_PARTS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memory/owned_code.h"
#include "object/symbol_addresses.h"
#include "runtime/link/call_failures.h"
#include "runtime/link/code_space.h"
#include "runtime/link/function_table.h"
#include "runtime/link/promotion_counters.h"
#include "runtime/process/exit_handlers.h"
#include "runtime/process/exit_hook.h"
#include "runtime/program/detached_code.h"

namespace firstcall {

struct DetachedCode::Parts {
  // Runs the exit handlers and destructors that have not run.
  void RunDestructors();

  std::string name;
  std::shared_ptr<CodeSpace> code_space;
  std::shared_ptr<const CallFailures> failures;
  SymbolAddresses addresses;
  std::vector<ExecutorAddress> destructors;  // In the order in which they will run.
  std::vector<NamedStub> stubs;
  std::vector<PromotionCounters> counters;
  ExitHandlers exit_handlers;
  std::unique_ptr<OwnedCode> code;
  std::optional<ExitHook> exit_hook;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_DETACHED_PARTS_H_

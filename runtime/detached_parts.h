// The parts of a DetachedCode. Only the engine, which makes them, uses this.
//
// Constant once they belong to a DetachedCode, with two exceptions: the exit handlers, which
// synchronize themselves, and the fields that its destructor and the end of the process change.
// Tested in tests/api/removal_test.cc.

#ifndef FIRSTCALL_RUNTIME_DETACHED_PARTS_H_
#define FIRSTCALL_RUNTIME_DETACHED_PARTS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "code/symbol_addresses.h"
#include "memory/owned_code.h"
#include "runtime/call_failures.h"
#include "runtime/code_space.h"
#include "runtime/detached_code.h"
#include "runtime/exit_handlers.h"
#include "runtime/exit_hook.h"
#include "runtime/function_table.h"
#include "runtime/promotion_counters.h"

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

#endif  // FIRSTCALL_RUNTIME_DETACHED_PARTS_H_

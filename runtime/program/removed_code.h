// What is left of removed modules: code that other modules still use, as long as the engine exists.
// C++ modules share inline variables, so a module may have the address of a variable of another
// module, which is removed earlier.
//
// Synchronized by the caller, which is in an ExclusiveWorkScope. Tested in
// tests/api/removal_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_REMOVED_CODE_H_
#define FIRSTCALL_RUNTIME_PROGRAM_REMOVED_CODE_H_

#include <memory>
#include <utility>
#include <vector>

#include "memory/owned_code.h"
#include "runtime/link/lazy_object.h"
#include "runtime/process/exit_handlers.h"

namespace firstcall {

class RemovedCode {
 public:
  RemovedCode() = default;
  RemovedCode(const RemovedCode&) = delete;
  RemovedCode& operator=(const RemovedCode&) = delete;

  // Takes the code from `object`, that of a removed module. If `is_used`, because other modules
  // have addresses of its variables, keeps the code as long as this exists; otherwise frees it.
  // Exit handlers of the module in `handlers` are dropped, and those that its code registers from
  // now on do not run.
  void Take(LazyObject& object, ExitHandlers& handlers, bool is_used) {
    if (is_used) object.GiveUpUnfinished();
    object.unfinished = nullptr;
    object.dso_handle.dynamic_symbols = nullptr;
    // Handlers that were registered after the destructors ran would be called without their code.
    handlers.Move(object.dso_handle, handlers_);
    handlers_.Close();
    if (is_used) {
      used_.push_back(std::move(object.owned_code));
    } else {
      object.owned_code = nullptr;
    }
  }

 private:
  ExitHandlers handlers_;  // Closed, once it has a module's.
  std::vector<std::unique_ptr<OwnedCode>> used_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_REMOVED_CODE_H_

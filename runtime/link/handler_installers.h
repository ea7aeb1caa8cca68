// The functions of the C library that install handlers, as compiled code calls them: `sigaction`,
// `signal` and the like, `timer_create` and `pthread_atfork`. They do what the C library's do, and
// return what those return. Before:
//   - A signal that gets a handler is held back from now on while a thread is at work in the engine
//     (base/signal_hold.h). If threads are at work that do not hold it back, this waits for them.
//   - The handler is prepared, with what it calls: it may interrupt what a first call needs, such
//     as malloc. A handler that cannot be compiled fails when it is called.
//
// Thread-safe. The functions are async-signal-safe: in a signal handler nothing is prepared. Tested
// in tests/api/signals_test.cc and tests/programs/single/signal_handlers.c.

#ifndef FIRSTCALL_RUNTIME_LINK_HANDLER_INSTALLERS_H_
#define FIRSTCALL_RUNTIME_LINK_HANDLER_INSTALLERS_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "memory/executor_address.h"
#include "runtime/link/function_key.h"

namespace firstcall {

class HandlerInstallers {
 public:
  // The functions of one engine.
  class Functions {
   public:
    // The function at `address`, if it is one of these.
    virtual std::optional<FunctionKey> FunctionAt(ExecutorAddress address) = 0;
    // Compiles the function, and what it calls, if that has not happened. The caller is in a
    // WorkScope; `may_delegate` as in FunctionProvider::CompileForCall.
    virtual void PrepareHandler(FunctionKey function, bool may_delegate) = 0;

   protected:
    ~Functions() = default;
  };

  // Whether `name` is the name of such a function.
  static bool Include(absl::string_view name);

  // The function that compiled code calls instead of `found`, which is the process's function of
  // this name. Null if `name` is not included.
  static ExecutorAddress Instead(absl::string_view name, ExecutorAddress found);

  // From now on, handlers among `functions` are prepared, until Remove is called. The code that
  // installs a handler keeps the handler's engine alive meanwhile.
  static void Add(Functions& functions);
  static void Remove(Functions& functions);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_HANDLER_INSTALLERS_H_

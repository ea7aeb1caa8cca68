// What makes the definitions whose addresses SymbolResolver is asked for, and those that
// FunctionTable is asked for by a first call. Both know only these interfaces, because those who
// implement the interfaces ask them in turn: to link data, names must be resolved, and a name may
// stand for data that is not linked yet.
//
// Implementations are thread-safe, and are called by threads at work (see WorkScope).

#ifndef FIRSTCALL_RUNTIME_LINK_PROVIDERS_H_
#define FIRSTCALL_RUNTIME_LINK_PROVIDERS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "memory/executor_address.h"
#include "runtime/link/function_key.h"
#include "runtime/link/lazy_object.h"
#include "runtime/link/source_module.h"
#include "seam/event.h"

namespace firstcall {

// ObjectLinker, for data and for given objects.
class DataProvider {
 public:
  DataProvider() = default;
  DataProvider(const DataProvider&) = delete;
  DataProvider& operator=(const DataProvider&) = delete;

  // Links `object` if that has not happened. Blocks while another thread links it. Errors are those
  // of ObjectLinker::Link.
  virtual absl::Status Link(LazyObject& object) = 0;

  // Returns the address of symbol `name` of `object`; links the object first. NotFound if the
  // object does not define the symbol.
  virtual absl::StatusOr<ExecutorAddress> AddressIn(LazyObject& object, absl::string_view name) = 0;

 protected:
  ~DataProvider() = default;
};

// FunctionCompiler.
class FunctionProvider {
 public:
  FunctionProvider() = default;
  FunctionProvider(const FunctionProvider&) = delete;
  FunctionProvider& operator=(const FunctionProvider&) = delete;

  // Returns the address of the body of `key`, or of a variable that is compiled together with its
  // function. If there is none yet, compiles and publishes the function first, and blocks until
  // then.
  virtual absl::StatusOr<ExecutorAddress> Compile(FunctionKey key, CompileReason reason) = 0;

  // Compiles a function that a thread has called before the function was published. Returns the
  // address of its body, and blocks until then. The caller is in its own WorkScope; `may_delegate`
  // tells whether the thread was not at work before, so that another thread may compile.
  virtual absl::StatusOr<ExecutorAddress> CompileForCall(FunctionKey key, bool may_delegate) = 0;

  // Compiles a function that the program has installed as a handler, and the functions that it and
  // they call, up to a bound. A function that cannot be compiled fails when it is called. The
  // caller is in its own WorkScope; `may_delegate` as above.
  virtual void CompileHandler(FunctionKey key, bool may_delegate) = 0;

  // Returns the address of a label that inline assembly of a function of `module` defines; null if
  // no function defines the label. May compile functions, and blocks until then.
  virtual absl::StatusOr<ExecutorAddress> FindLabel(SourceModule& module,
                                                    absl::string_view label) = 0;

  // Returns the hotness counter of `key`; makes it if there is none. Internal if functions do not
  // count; ResourceExhausted if there is no memory.
  virtual absl::StatusOr<ExecutorAddress> CounterOf(FunctionKey key) = 0;

 protected:
  ~FunctionProvider() = default;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_PROVIDERS_H_

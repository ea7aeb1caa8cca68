// The exit handlers that compiled code registers: destructors of objects with static lifetime, and
// functions passed to atexit. The engine keeps them, not the C library, because they must run
// before the engine frees their code. They run in the reverse order of registration.
//
// Thread-safe. Tested in tests/programs/single/life_cycle.c.

#ifndef FIRSTCALL_RUNTIME_PROCESS_EXIT_HANDLERS_H_
#define FIRSTCALL_RUNTIME_PROCESS_EXIT_HANDLERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "memory/executor_address.h"
#include "memory/owned_code.h"

namespace firstcall {

class DynamicSymbols;
class ExitHandlers;

// The `__dso_handle` of a module or an object.
struct DsoHandle {
  explicit DsoHandle(ExitHandlers& owner) : handlers(&owner) {}

  static constexpr uint64_t kMark = 0x6c6c616374737266;
  const uint64_t mark = kMark;  // Tells an engine's handle from all others.
  ExitHandlers* handlers;       // Owner of this handle's exit handlers; changed by Move.
  // Where `dlsym` as the code calls it finds the program's symbols; null until the code refers to
  // that function, and once the module was removed or detached. Read it in a WorkScope.
  DynamicSymbols* dynamic_symbols = nullptr;
  LibraryId library;  // Of the code, if `dynamic_symbols` is not null.
};

class ExitHandlers {
 public:
  ExitHandlers() = default;
  ~ExitHandlers() { DropThreads(); }
  ExitHandlers(const ExitHandlers&) = delete;
  ExitHandlers& operator=(const ExitHandlers&) = delete;

  // Makes the handle of another module or object in memory of `code`; `near` is as in
  // MemoryRequest. ResourceExhausted if there is no memory.
  absl::StatusOr<DsoHandle*> MakeHandle(OwnedCode& code, ExecutorAddress near);

  // The `__cxa_atexit` of compiled code (Itanium C++ ABI, 3.3.6.3). If the handle is not an
  // engine's, passes the handler on to the C library and returns the library's result; otherwise
  // returns 0.
  static int Register(void (*handler)(void*), void* argument, void* dso_handle)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Makes a function near the handle, in memory of `code`, that passes its first two arguments and
  // the handle to `function`. ResourceExhausted if there is no memory.
  static absl::StatusOr<ExecutorAddress> MakeForwarder(ExecutorAddress function, DsoHandle& handle,
                                                       OwnedCode& code);

  // Makes the `atexit` of a module or an object that has the handle, as MakeForwarder does. The C
  // library has no shared `atexit`: each program and each shared library is linked with a copy of
  // its own, which passes its own handle to __cxa_atexit, to tell whose handler it is.
  static absl::StatusOr<ExecutorAddress> MakeAtexit(DsoHandle& handle, OwnedCode& code);

  // The `__cxa_thread_atexit` of compiled code, which calls it when it first uses a thread-local
  // object that has a destructor. The handler runs when this thread ends, or earlier when the
  // handlers of its module run on this thread; it does not run if the module is gone by then.
  static int RegisterForThread(void (*handler)(void*), void* argument, void* dso_handle)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs the handlers of this thread, then all other handlers, and those that handlers register
  // meanwhile.
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs the handlers of one module or object in the same way, and those that they register for it
  // meanwhile.
  void Run(const DsoHandle& handle) ABSL_LOCKS_EXCLUDED(mutex_);

  // Moves the handlers of a module or object to `to`. Its later handlers are registered with `to`.
  void Move(DsoHandle& handle, ExitHandlers& to) ABSL_LOCKS_EXCLUDED(mutex_);

  // Drops the handlers of threads: they do not run any more.
  void DropThreads() ABSL_LOCKS_EXCLUDED(mutex_);
  // From now on no handler runs, and none is registered.
  void Close() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A handler that a thread calls when it ends. Until then, the C library has the address of this
  // entry.
  struct ThreadEntry {
    void (*handler)(void*);  // Null: it has run, or was dropped.
    void* argument;
    const DsoHandle* handle;
    uint64_t thread;
  };

  struct Entry {
    void (*handler)(void*);
    void* argument;
    const DsoHandle* handle;
  };

  static int RegisterAtexit(void (*handler)(void*), void*, void* dso_handle)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Removes and returns the last entry, or the last one of `handle` if that is not null.
  std::optional<Entry> Take(const DsoHandle* handle) ABSL_LOCKS_EXCLUDED(mutex_);
  // The same, for the entries of this thread.
  std::optional<Entry> TakeOfThread(const DsoHandle* handle) ABSL_LOCKS_EXCLUDED(mutex_);
  void Run(const DsoHandle* handle) ABSL_LOCKS_EXCLUDED(mutex_);
  // `entry` is a ThreadEntry whose thread ends.
  static void RunAtThreadEnd(void* entry) ABSL_LOCKS_EXCLUDED(mutex_);

  // Shared by all instances, because it guards DsoHandle::handlers, which Register reads and Move
  // changes.
  static absl::Mutex mutex_;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Entry> entries_ ABSL_GUARDED_BY(mutex_);
  std::vector<ThreadEntry*> thread_entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_EXIT_HANDLERS_H_

// The exit handlers that compiled code registers: destructors of objects with static lifetime, and
// what it gives to atexit. They belong to the engine and not to the C library, because they have to
// run, in the opposite order of their registration, before the engine frees their code.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_EXIT_HANDLERS_H_
#define FIRSTCALL_ENGINE_EXIT_HANDLERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "memory/executor_address.h"
#include "memory/owned_code.h"

namespace firstcall {

class ExitHandlers;

// What a module's or an object's `__dso_handle` is.
struct DsoHandle {
  explicit DsoHandle(ExitHandlers& owner) : handlers(&owner) {}

  static constexpr uint64_t kMark = 0x6c6c616374737266;
  const uint64_t mark = kMark;  // Nobody else's handle has it.
  ExitHandlers* handlers;       // Whose its handlers are; changed by MoveTo.
};

class ExitHandlers {
 public:
  ExitHandlers() = default;
  ExitHandlers(const ExitHandlers&) = delete;
  ExitHandlers& operator=(const ExitHandlers&) = delete;

  // A handle for another module or object, in memory of `code`, at `near` as in MemoryRequest.
  // ResourceExhausted if there is no memory for it.
  absl::StatusOr<DsoHandle*> MakeHandle(OwnedCode& code, ExecutorAddress near);

  // What `__cxa_atexit` (Itanium C++ ABI, 3.3.6.3) is for compiled code. A handler with a handle
  // that is no engine's is left to the C library. Returns 0.
  static int Register(void (*handler)(void*), void* argument, void* dso_handle)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs all handlers, and those that they register.
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);

  // The same for those of one module or object.
  void Run(const DsoHandle& handle) ABSL_LOCKS_EXCLUDED(mutex_);

  // From now on the handlers of a module or object, also those to come, are another's.
  void Move(DsoHandle& handle, ExitHandlers& to) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Entry {
    void (*handler)(void*);
    void* argument;
    const DsoHandle* handle;
  };

  // The last entry, of `handle` if that is not null.
  std::optional<Entry> Take(const DsoHandle* handle) ABSL_LOCKS_EXCLUDED(mutex_);

  // Of all: who registers a handler finds out by it whose that is.
  static absl::Mutex mutex_;
  std::vector<Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_EXIT_HANDLERS_H_

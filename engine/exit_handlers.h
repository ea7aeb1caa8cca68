// The exit handlers that compiled code registers: destructors of objects with static lifetime, and
// what it gives to atexit. They belong to the engine and not to the C library, because they have to
// run, in the opposite order of their registration, before the engine frees their code.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_EXIT_HANDLERS_H_
#define FIRSTCALL_ENGINE_EXIT_HANDLERS_H_

#include <cstdint>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "memory/arena.h"

namespace firstcall {

class ExitHandlers;

// What a module's or an object's `__dso_handle` is.
struct DsoHandle {
  explicit DsoHandle(ExitHandlers& engine_handlers) : handlers(&engine_handlers) {}

  static constexpr uint64_t kMark = 0x6c6c616374737266;
  const uint64_t mark = kMark;  // Nobody else's handle has it.
  ExitHandlers* const handlers;
};

class ExitHandlers {
 public:
  // Must outlive the handlers and their code.
  explicit ExitHandlers(Arena& arena) : arena_(arena) {}
  ExitHandlers(const ExitHandlers&) = delete;
  ExitHandlers& operator=(const ExitHandlers&) = delete;

  // A handle for another module or object, within reach of code in the arena, and freed with it.
  // ResourceExhausted if there is no memory for it.
  absl::StatusOr<DsoHandle*> MakeHandle();

  // What `__cxa_atexit` (Itanium C++ ABI, 3.3.6.3) is for compiled code. A handler with a handle
  // that is no engine's is left to the C library. Returns 0.
  static int Register(void (*handler)(void*), void* argument, void* dso_handle);

  // Runs all handlers, and those that they register.
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Entry {
    void (*handler)(void*);
    void* argument;
  };

  Arena& arena_;
  absl::Mutex mutex_;
  std::vector<Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_EXIT_HANDLERS_H_

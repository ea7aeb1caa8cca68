// Every function that something has referred to: its stub, its state, and the guarantee that it is
// compiled once.
//
//   kStub -> kCompiling -> kReady | kFailed
//
// Thread-safe. The mutex is held for bookkeeping only, never while anything is compiled.

#ifndef FIRSTCALL_ENGINE_FUNCTION_TABLE_H_
#define FIRSTCALL_ENGINE_FUNCTION_TABLE_H_

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "engine/source_module.h"
#include "memory/executor_address.h"
#include "stubs/stub_table.h"

namespace firstcall {

enum class FunctionState { kStub, kCompiling, kReady, kFailed };

// Names one definition of the engine: a function, an ifunc, or a variable that is compiled with its
// function.
struct FunctionKey {
  SourceModule* module = nullptr;
  SymbolOrdinal ordinal;

  friend bool operator==(FunctionKey a, FunctionKey b) {
    return a.module == b.module && a.ordinal == b.ordinal;
  }
  template <typename H>
  friend H AbslHashValue(H h, FunctionKey key) {
    return H::combine(std::move(h), key.module, key.ordinal);
  }
};

class FunctionTable {
 public:
  // Told, on the calling thread, which function was called before it was published; returns where
  // the call shall go.
  using OnFirstCall = std::function<ExecutorAddress(FunctionKey)>;

  FunctionTable(const StubArchitecture& architecture, Arena& arena, UnwindRegistry& unwind_registry,
                OnFirstCall on_first_call)
      : on_first_call_(std::move(on_first_call)),
        stubs_(architecture, arena, unwind_registry, &FunctionTable::HandleFirstCall) {}

  // The function's identity; its stub is made now if this is the first reference. ResourceExhausted
  // if there is no memory for one.
  absl::StatusOr<ExecutorAddress> AddressOf(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // Where its body is, if it is published.
  std::optional<ExecutorAddress> BodyOf(FunctionKey key) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Sees to it that `key` is published: calls `compile`, which must Publish it, unless that has
  // been done. Other threads that ask meanwhile wait for this one and get the same result. A
  // failure is kept and returned again. FailedPrecondition if compiling `key` needs `key` to be
  // compiled.
  absl::Status CompileOnce(FunctionKey key, absl::FunctionRef<absl::Status()> compile)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Says that the calling thread compiles `key`, for the one that called CompileOnce.
  void TakeOver(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // Takes on to compile `key` along with another function: true if nobody has compiled or claimed
  // it; then Publish or Release must follow.
  bool Claim(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);
  // Gives a claimed function back, to be compiled by its own first call.
  void Release(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // From now on calls of `key` go to `body`.
  void Publish(FunctionKey key, ExecutorAddress body) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t stub_count() const { return stubs_.size(); }

 private:
  struct Record {
    FunctionTable* table = nullptr;
    FunctionKey key;
    FunctionState state = FunctionState::kStub;
    std::optional<Stub> stub;
    ExecutorAddress body;
    absl::Status status;
    std::thread::id compiling_thread;
  };

  static ExecutorAddress HandleFirstCall(void* owner);
  Record& RecordOf(FunctionKey key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const OnFirstCall on_first_call_;
  StubTable stubs_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<FunctionKey, std::unique_ptr<Record>> records_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_FUNCTION_TABLE_H_

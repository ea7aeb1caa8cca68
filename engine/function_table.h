// Every function that something has referred to: its stub, its state, and the guarantee that it is
// compiled once.
//
//   kStub -> kCompiling -> kReady | kFailed
//
// Thread-safe. The mutex is held for bookkeeping only, never while anything is compiled. Whoever
// has a key's module in hand is in a WorkScope, which keeps the module from being removed.

#ifndef FIRSTCALL_ENGINE_FUNCTION_TABLE_H_
#define FIRSTCALL_ENGINE_FUNCTION_TABLE_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "engine/call_failures.h"
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

// The stub of a function, for who outlives its engine.
struct NamedStub {
  Stub stub;
  std::string function;
};

class FunctionTable {
 public:
  // Compiles what was called before it was published, on the calling thread or for it, and returns
  // where the call shall go. `may_delegate` tells whether another thread may do it.
  using OnFirstCall =
      std::function<absl::StatusOr<ExecutorAddress>(FunctionKey key, bool may_delegate)>;

  // `stubs` must outlive the table; its handler is HandleFirstCall.
  FunctionTable(StubTable& stubs, std::shared_ptr<const CallFailures> failures,
                OnFirstCall on_first_call)
      : on_first_call_(std::move(on_first_call)), failures_(std::move(failures)), stubs_(stubs) {}
  FunctionTable(const FunctionTable&) = delete;
  FunctionTable& operator=(const FunctionTable&) = delete;

  // For StubTable: what a call of a stub that is not published leads to.
  static ExecutorAddress HandleFirstCall(const std::atomic<void*>& owner);

  // Retires a stub whose function is gone: its calls go to `failures`, with `reason`.
  static void Retire(StubTable& stubs, const NamedStub& stub, absl::string_view module,
                     absl::string_view reason, std::shared_ptr<const CallFailures> failures);

  // Forgets all functions. Calls of their stubs tell the failure handler that the engine is gone.
  void RemoveAll() ABSL_LOCKS_EXCLUDED(mutex_);

  // Forgets the functions of `module`. Calls of their stubs go to the failure handler.
  void Remove(SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

  // Forgets the functions of `module`, all of which are published, and returns their stubs.
  std::vector<NamedStub> Detach(SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

  // The function's identity; its stub is made now if this is the first reference. ResourceExhausted
  // if there is no memory for one.
  absl::StatusOr<ExecutorAddress> AddressOf(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // Where its body is, if it is published.
  std::optional<ExecutorAddress> BodyOf(FunctionKey key) const ABSL_LOCKS_EXCLUDED(mutex_);

  // The same, if no better one may come after it: whoever calls it directly misses nothing.
  std::optional<ExecutorAddress> FinalBodyOf(FunctionKey key) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Sees to it that `key` is published: calls `compile`, which must Publish it, unless that has
  // been done. Other threads that ask meanwhile wait for this one and get the same result. A
  // failure is kept and returned again, except for a lack of memory, which may end: then the next
  // one who asks tries again. FailedPrecondition if compiling `key` needs `key` to be compiled.
  absl::Status CompileOnce(FunctionKey key, absl::FunctionRef<absl::Status()> compile)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Says that the calling thread compiles `key`, for the one that called CompileOnce.
  void TakeOver(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // Takes on to compile `key` along with another function: true if nobody has compiled or claimed
  // it; then Publish or Release must follow.
  bool Claim(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);
  // Gives a claimed function back, to be compiled by its own first call.
  void Release(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // From now on calls of `key` go to `body`, for good.
  void Publish(FunctionKey key, ExecutorAddress body) ABSL_LOCKS_EXCLUDED(mutex_);
  // The same, until a better one is published: by way of `entry`, which leads to the body.
  void PublishFirst(FunctionKey key, ExecutorAddress body, ExecutorAddress entry)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // What a stub's owner is.
  struct StubOwner {
    FunctionTable* table = nullptr;  // Null: there is nobody who could compile it any more.
  };
  struct Record : StubOwner {
    FunctionKey key;
    FunctionState state = FunctionState::kStub;
    std::optional<Stub> stub;
    ExecutorAddress body;
    ExecutorAddress entry;  // Where calls of the stub go.
    bool is_final = false;
    absl::Status status;
    std::thread::id compiling_thread;
  };
  // In place of a record that is gone.
  struct Leftover : StubOwner {
    std::string function;
    std::string module;
    absl::Status status;
    std::shared_ptr<const CallFailures> failures;
  };
  using Records = absl::flat_hash_map<FunctionKey, std::unique_ptr<Record>>;

  void Publish(FunctionKey key, ExecutorAddress body, ExecutorAddress entry, bool is_final)
      ABSL_LOCKS_EXCLUDED(mutex_);
  Record& RecordOf(FunctionKey key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Forgets the functions of `module`; before, calls `settle` with each that has a stub.
  void Forget(SourceModule& module, absl::FunctionRef<void(const Record&)> settle)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Retire(const Record& record, absl::string_view reason) const;

  const OnFirstCall on_first_call_;
  const std::shared_ptr<const CallFailures> failures_;
  StubTable& stubs_;
  mutable absl::Mutex mutex_;
  Records records_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_FUNCTION_TABLE_H_

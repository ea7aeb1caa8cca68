// The functions that have been referred to: their stubs and states. Makes sure that each function
// is compiled only once.
//
//   kStub -> kCompiling -> kReady | kFailed
//
// A function goes back from kCompiling to kStub if its claim was released or if the failure may
// pass (MayPass): memory ran out, or a compile server does not answer. In a forked child, a
// function that a thread of the parent was compiling also goes back to kStub.
//
// Thread-safe. The mutex is held for bookkeeping only, never during a compile. A caller that uses a
// FunctionKey must be in a WorkScope, which keeps the module from being removed. Tested in
// tests/runtime/function_table_test.cc and tests/api/concurrency_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_FUNCTION_TABLE_H_
#define FIRSTCALL_RUNTIME_LINK_FUNCTION_TABLE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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
#include "memory/executor_address.h"
#include "runtime/link/call_failures.h"
#include "runtime/link/function_key.h"
#include "runtime/link/providers.h"
#include "runtime/link/source_module.h"
#include "stubs/stub_table.h"

namespace firstcall {

enum class FunctionState { kStub, kCompiling, kReady, kFailed };

// A function's stub and name, which can outlive the engine.
struct NamedStub {
  Stub stub;
  std::string function;
  std::shared_ptr<void> owner = nullptr;  // The stub's, if it has one of its own.
};

class FunctionTable {
  struct Record;

 public:
  // `stubs` must outlive the table, and must have HandleFirstCall as its handler.
  FunctionTable(StubTable& stubs, std::shared_ptr<const CallFailures> failures)
      : failures_(std::move(failures)), stubs_(stubs) {}
  FunctionTable(const FunctionTable&) = delete;
  FunctionTable& operator=(const FunctionTable&) = delete;

  // Sets what compiles a function that is called before it is published. `compiler` must exist as
  // long as stubs may be called that are not retired. Call this once, before any stub is made.
  void Connect(FunctionProvider& compiler) { compiler_ = &compiler; }

  // The StubTable's handler for a call of a stub that is not published.
  static ExecutorAddress HandleFirstCall(const std::atomic<void*>& owner);

  // Retires the stub of a function that no longer exists. Calls of the stub go to `failures`, with
  // `reason`.
  static void Retire(StubTable& stubs, const NamedStub& stub, absl::string_view module,
                     absl::string_view reason, std::shared_ptr<const CallFailures> failures);

  // Forgets all functions. A later call of a stub tells the failure handler that the engine is
  // gone.
  void RemoveAll() ABSL_LOCKS_EXCLUDED(mutex_);

  // Forgets the functions of `module`, while no other thread is at work. Later calls of the stub of
  // a function go to its successor, or to the failure handler if it has none.
  using FindSuccessor = absl::FunctionRef<std::optional<ExecutorAddress>(SymbolOrdinal function)>;
  void Remove(SourceModule& module, FindSuccessor successor_of) ABSL_LOCKS_EXCLUDED(mutex_);

  // Forgets the functions of `module`, while no other thread is at work. Returns the stubs of those
  // that are published, whose calls go on to their bodies. Keep what is returned until the bodies
  // are freed: a thread that had called such a stub before the function was published may read the
  // stub's owner until then. Stubs of other functions go to the failure handler.
  std::vector<NamedStub> Detach(SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

  // The function's identity: the address of its stub. Makes the stub if there is none.
  // ResourceExhausted if there is no memory.
  absl::StatusOr<ExecutorAddress> AddressOf(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // The address of the function's body, if one is published.
  std::optional<ExecutorAddress> BodyOf(FunctionKey key) const ABSL_LOCKS_EXCLUDED(mutex_);

  // The address of the final body, if it is published. Other code may call it directly, because it
  // will never be replaced.
  std::optional<ExecutorAddress> FinalBodyOf(FunctionKey key) const ABSL_LOCKS_EXCLUDED(mutex_);

  // The functions that are published, with the bodies that calls of them lead to.
  struct PublishedBody {
    FunctionKey key;
    ExecutorAddress address;
  };
  std::vector<PublishedBody> PublishedBodies() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Such a body of `key`.
  std::optional<PublishedBody> PublishedBodyOf(FunctionKey key) const ABSL_LOCKS_EXCLUDED(mutex_);
  // How often a body was published. If the number grows by one, there is one body more at most.
  uint64_t publications() const { return publications_.load(std::memory_order_relaxed); }

  // Notes an entry of a table, in data of `key`'s module, that holds the address of `key`'s stub.
  // When the final body is published (now, if it is already), its address is written to the entry.
  void AddTableEntry(FunctionKey key, std::atomic<uint64_t>& entry) ABSL_LOCKS_EXCLUDED(mutex_);

  struct AtAddress {
    FunctionKey key;
    bool has_table_entries = false;
  };
  // The function that has its stub or its final body at `address`; nullopt if there is none. Takes
  // time in proportion to the number of functions if this is the first look-up, or the first one
  // since functions were forgotten.
  std::optional<AtAddress> FunctionAt(ExecutorAddress address) ABSL_LOCKS_EXCLUDED(mutex_);

  // What a ClaimOrResult waits for, while another thread compiles the function. A caller that needs
  // only the labels may hold something which the function needs before it can be published.
  enum class Need {
    kBody,    // The function is published.
    kLabels,  // NoteLabels is called, or the function is published.
  };

  // The claim of the calling thread to a function, so that this thread alone compiles the function;
  // or the result that the claim of another thread has led to. Thread-compatible.
  class ClaimOrResult {
   public:
    // Claims the function, unless there is a result. While another thread has the claim, waits. A
    // failure is kept and is the result again, except for one that may pass, and for NotFound once
    // definitions were added since. The result is FailedPrecondition if this thread already has the
    // claim, so that the function would be needed to compile itself.
    ClaimOrResult(FunctionTable& functions, FunctionKey key, Need need = Need::kBody)
        ABSL_LOCKS_EXCLUDED(functions.mutex_);
    // If the claim was not ended, because a callback of the client's has thrown, ends it as failed.
    ~ClaimOrResult();
    ClaimOrResult(const ClaimOrResult&) = delete;
    ClaimOrResult& operator=(const ClaimOrResult&) = delete;

    // Whether the calling thread has the claim: then it must publish the function, and call End.
    bool is_claim() const { return is_claim_; }

    // Ends the claim with the result of the compile. Other threads that wait get the same result.
    // The result is Internal if the compile has succeeded and the function is not published.
    void End(absl::Status status) ABSL_LOCKS_EXCLUDED(functions_.mutex_);

    // The result, once there is no claim.
    const absl::Status& result() const { return result_; }

   private:
    FunctionTable& functions_;
    Record* record_ = nullptr;  // Of the function.
    bool is_claim_ = false;
    absl::Status result_;
  };

  // Waits until the labels of `key`, which could not be claimed, are known or will not be. False if
  // `key` may be claimed now.
  bool AwaitLabels(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);
  // Notes that the labels of `key`, which is being compiled, are known.
  void NoteLabels(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);
  // Notes that the object of `key` could not be linked after all. The function is still being
  // compiled.
  void ForgetLabels(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // Notes that definitions were added: a symbol that was missing may be found now.
  void NoteAddition() { additions_.fetch_add(1, std::memory_order_relaxed); }

  // Whether a thread that a fork has left in the parent was compiling `key`, so that its body is
  // not in the compiler's views any more. Returns true only once. The calling thread must be the
  // one that compiles `key` now.
  bool WasLeftByParent(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // Records that the calling thread compiles `key` for the thread that has the claim.
  void TakeOver(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // Claims `key`, to compile it along with another function. Returns true if nothing has compiled
  // or claimed it; then Publish or Release must follow.
  bool Claim(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);
  // Gives back a claimed function. Its own first call will compile it.
  void Release(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // Makes calls of `key` go to `body`, which is final.
  void Publish(FunctionKey key, ExecutorAddress body) ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes calls of `key` go to `entry`, which leads to `body`, until an optimized body is
  // published.
  void PublishFirst(FunctionKey key, ExecutorAddress body, ExecutorAddress entry)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A stub's owner points to this.
  struct StubOwner {
    FunctionTable* table = nullptr;  // Null: nothing can compile the function any more.
  };
  struct Record : StubOwner {
    FunctionKey key;
    FunctionState state = FunctionState::kStub;
    std::optional<Stub> stub;
    ExecutorAddress body;
    ExecutorAddress entry;  // Where calls of the stub go.
    bool is_final = false;
    std::vector<std::atomic<uint64_t>*> table_entries;  // See AddTableEntry.
    absl::Status status;
    uint64_t additions = 0;         // The value of `additions_` when the function failed.
    uint64_t compiling_thread = 0;  // The thread's number (AwaitedWork).
    bool was_left = false;          // See WasLeftByParent.
    bool has_labels = false;  // The labels are known, although `state` may still be kCompiling.

    bool IsAwaited(Need need) const {
      return state == FunctionState::kCompiling && !(need == Need::kLabels && has_labels);
    }
    // If a thread that a fork has left in the parent had claimed the function, gives the function
    // back.
    void ReleaseIfLeft();
  };
  // Replaces the record of a retired stub.
  struct Leftover : StubOwner {
    std::string function;
    std::string module;
    absl::Status status;
    std::shared_ptr<const CallFailures> failures;
    ExecutorAddress successor;  // Where calls continue, if it is not null.
  };
  using Records = absl::flat_hash_map<FunctionKey, std::unique_ptr<Record>>;

  void Publish(FunctionKey key, ExecutorAddress body, ExecutorAddress entry, bool is_final)
      ABSL_LOCKS_EXCLUDED(mutex_);
  bool HasStub(FunctionKey key) const ABSL_LOCKS_EXCLUDED(mutex_);
  Record& RecordOf(FunctionKey key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Begins a compile: claims `key` and returns nullopt, or returns the result that there is
  // already.
  std::optional<absl::Status> ClaimOrFind(FunctionKey key, Record& record, Need need)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // If addresses are looked up, notes those of `record`, which have changed.
  void NoteAddresses(const Record& record) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Forgets the functions of `module`. Calls `with_stub` for each one that has a stub.
  void Forget(SourceModule& module, absl::FunctionRef<void(const Record&)> with_stub)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Retire(const Record& record, absl::string_view reason) const;
  // An owner for calls that continue at `successor`.
  static std::shared_ptr<StubOwner> LeadTo(ExecutorAddress successor);

  const std::shared_ptr<const CallFailures> failures_;
  StubTable& stubs_;
  FunctionProvider* compiler_ = nullptr;
  std::atomic<uint64_t> additions_{0};
  std::atomic<uint64_t> publications_{0};
  mutable absl::Mutex mutex_;
  Records records_ ABSL_GUARDED_BY(mutex_);
  // The records by the addresses of their stubs and final bodies. Nullopt until FunctionAt is
  // called, because most programs end before that, and again after functions were forgotten.
  std::optional<absl::flat_hash_map<uint64_t, const Record*>> by_address_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_FUNCTION_TABLE_H_

// Gives a debugger that attaches to the process lines and variables of code that was compiled
// without any, because no debugger was there.
//
// Whether a debugger listens is asked when a function was compiled, and by the promotion threads
// from time to time. When the answer is yes, all first bodies are described (BodyDescriber), in
// batches; from then on, each one when it is published. Functions that are not described have their
// names only (object/code_names.h).
//
// Thread-safe. One thread describes at a time, and others wait for it. Holds a lock while the
// compiler works, which the compiler does not need. Tested in tests/debugger/attach_test.cc.

#ifndef FIRSTCALL_RUNTIME_FUNCTIONS_BODY_DESCRIPTIONS_H_
#define FIRSTCALL_RUNTIME_FUNCTIONS_BODY_DESCRIPTIONS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"
#include "runtime/functions/body_describer.h"
#include "runtime/link/function_key.h"
#include "runtime/link/function_table.h"
#include "runtime/process/work_mutex.h"

namespace firstcall {

class BodyDescriptions {
 public:
  // `is_wanted`: whether code is described at all. Both must outlive this object.
  BodyDescriptions(bool is_wanted, BodyDescriber& describer, FunctionTable& functions)
      : is_wanted_(is_wanted), describer_(describer), functions_(functions) {}
  BodyDescriptions(const BodyDescriptions&) = delete;
  BodyDescriptions& operator=(const BodyDescriptions&) = delete;

  // If a debugger listens: describes `key`, which was just published, and then what is not
  // described yet, for half a second at most. The caller is at work. Costs a few instructions if no
  // debugger listens; otherwise blocks until the compiler has compiled the functions again.
  void NoteCompiled(FunctionKey key) {
    if (IsNeeded()) DescribeWith(key);
  }

  // The same for one batch, without a function that was just published.
  void Look() {
    if (!IsNeeded()) {
      is_done_.store(false, std::memory_order_relaxed);
    } else if (!is_done_.load(std::memory_order_relaxed)) {
      DescribeWith(std::nullopt);
    }
  }

  // Withdraws what is registered for `module`, which is being removed.
  void Remove(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

  // How many functions are described, and how many could not be.
  struct Counts {
    size_t described = 0;
    size_t other = 0;
  };
  Counts counts() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Body = FunctionTable::PublishedBody;

  bool IsNeeded() const;
  void DescribeWith(std::optional<FunctionKey> key);
  // The functions below need `working_`.
  void FindNew(std::optional<FunctionKey> key);
  void DescribeNext(size_t most);
  // Bodies of one module.
  void Describe(absl::Span<const Body> bodies) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the functions that are described.
  std::vector<SymbolOrdinal> TryToDescribe(absl::Span<const Body> bodies)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Keep(const SourceModule& module, std::function<void()> withdraw) ABSL_LOCKS_EXCLUDED(mutex_);

  const bool is_wanted_;
  BodyDescriber& describer_;
  FunctionTable& functions_;
  std::atomic<bool> is_done_{false};  // Nothing that was published before is left.

  // Held while functions are described. The next three members need it.
  WorkMutex working_;
  std::vector<Body> left_;  // The next one last.
  absl::flat_hash_set<FunctionKey> seen_;
  uint64_t publications_ = 0;  // Of the function table, when it was last read.

  mutable absl::Mutex mutex_;
  Counts counts_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<ModuleId, std::vector<std::function<void()>>> withdrawals_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_FUNCTIONS_BODY_DESCRIPTIONS_H_

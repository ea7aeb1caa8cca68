// Makes the unwind tables (.eh_frame) of compiled code known to the process's unwinder.
//
// libgcc before version 13 searches the registered tables one by one, so that a throw costs time in
// proportion to their number. Therefore tables are registered in groups: each table starts as a
// group of one, and two neighbouring groups of the same rank are merged into one of the next, as
// the digits of a binary counter carry. n tables stand in at most log2(n) + 1 groups, and each is
// registered at most log2(n) + 1 times.
//
// Thread-safe. Never blocks on a compile.

#ifndef FIRSTCALL_MEMORY_UNWIND_REGISTRY_H_
#define FIRSTCALL_MEMORY_UNWIND_REGISTRY_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"

namespace firstcall {

class UnwindRegistry {
 public:
  enum class Grouping {
    kMerge,       // As described above.
    kIndividual,  // One registration a table: right for libgcc 13 and later, which uses a tree.
  };

  // What suits the libgcc of this process.
  static Grouping DefaultGrouping();

  explicit UnwindRegistry(Grouping grouping = DefaultGrouping()) : grouping_(grouping) {}
  // Withdraws every table. No code they describe may be on any stack.
  ~UnwindRegistry();
  UnwindRegistry(const UnwindRegistry&) = delete;
  UnwindRegistry& operator=(const UnwindRegistry&) = delete;

  // Registers the table at `table`: a sequence of entries that ends with four zero bytes, in this
  // process, unchanged and alive until it is withdrawn.
  void Register(ExecutorAddress table) ABSL_LOCKS_EXCLUDED(mutex_);

  // Withdraws tables that are registered. No code they describe may be on any stack. Takes time in
  // proportion to the number of tables in the groups they are in, for each of those groups.
  void Withdraw(absl::Span<const ExecutorAddress> tables) ABSL_LOCKS_EXCLUDED(mutex_);

  // Number of registrations with the unwinder at present.
  size_t group_count() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Group {
    size_t rank = 0;
    // What the unwinder was given: pointers to the tables, and a null at the end.
    std::unique_ptr<std::vector<void*>> tables;
  };

  void Deregister(const Group& group) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MergeLastTwo() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Grouping grouping_;
  mutable absl::Mutex mutex_;
  std::vector<Group> groups_ ABSL_GUARDED_BY(mutex_);  // Ranks descend from front to back.
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_UNWIND_REGISTRY_H_

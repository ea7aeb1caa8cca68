// Makes the unwind tables (.eh_frame) of compiled code known to the process's unwinder.
//
// libgcc before version 13 searches registrations one by one, so the time of a throw is
// proportional to their number. Moreover, of the registrations whose code begins at or below an
// address, it searches only the last, so registrations must not interleave (unwind-dw2-fde.c,
// _Unwind_Find_FDE). Therefore tables are registered in groups by the address of their code: each
// group covers an aligned stretch of addresses. All stretches have the same size, which doubles
// when there are too many groups.
//
// Thread-safe. Never blocks on a compile.

#ifndef FIRSTCALL_MEMORY_UNWIND_REGISTRY_H_
#define FIRSTCALL_MEMORY_UNWIND_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"

namespace firstcall {

// `table` is a sequence of entries that ends with four zero bytes. It lies in this process, and
// must exist unchanged as long as it is registered. `code` is the beginning of the code that the
// table describes. No other code lies within it.
struct UnwindTable {
  ExecutorAddress table;
  ExecutorAddress code;
};

class UnwindRegistry {
 public:
  enum class Grouping {
    kMerge,       // As described above.
    kIndividual,  // One registration per table: for libgcc 13 and later, which uses a tree.
  };
  // The grouping that suits the libgcc of this process.
  static Grouping DefaultGrouping();

  // If there are more groups than this, they are merged.
  static constexpr size_t kMostGroups = 64;

  explicit UnwindRegistry(Grouping grouping = DefaultGrouping()) : grouping_(grouping) {}
  // Withdraws every table. No code that they describe may be on any stack.
  ~UnwindRegistry();
  UnwindRegistry(const UnwindRegistry&) = delete;
  UnwindRegistry& operator=(const UnwindRegistry&) = delete;

  // Takes time proportional to the number of tables in the group.
  void Register(const UnwindTable& table) ABSL_LOCKS_EXCLUDED(mutex_);

  // Withdraws registered tables. No code that they describe may be on any stack. Takes time
  // proportional to the number of tables in their groups.
  void Withdraw(absl::Span<const UnwindTable> tables) ABSL_LOCKS_EXCLUDED(mutex_);

  // The present number of registrations with the unwinder.
  size_t group_count() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The list that the unwinder is given: pointers to an empty table and to the tables, then null.
  using Group = std::unique_ptr<std::vector<void*>>;

  static absl::Span<void* const> TablesOf(const Group& group);

  // The number of the stretch that contains `code`.
  uint64_t StretchOf(ExecutorAddress code) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return code.value() >> stretch_bits_;
  }
  void Replace(Group& group, const std::vector<void*>& tables)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DoubleStretches() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Grouping grouping_;
  mutable absl::Mutex mutex_;
  // Initially 64 KiB: some hundred small functions.
  int stretch_bits_ ABSL_GUARDED_BY(mutex_) = 16;
  absl::btree_map<uint64_t, Group> groups_ ABSL_GUARDED_BY(mutex_);  // By stretch.
  size_t individual_ ABSL_GUARDED_BY(mutex_) = 0;                    // With kIndividual.
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_UNWIND_REGISTRY_H_

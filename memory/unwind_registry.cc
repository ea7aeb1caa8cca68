#include "memory/unwind_registry.h"

#include <utility>

#include "base/forks.h"
#include "memory/process_unwinders.h"

namespace firstcall {

// Engines that are being destroyed withdraw tables, and a fork does not wait for that.
void UnwindRegistry::LockForFork() { OfProcess()->mutex_.Lock(); }

void UnwindRegistry::UnlockAfterFork() { OfProcess()->mutex_.Unlock(); }

UnwindRegistry::UnwindRegistry() { FindUnwinders(); }

std::shared_ptr<UnwindRegistry> UnwindRegistry::OfProcess() {
  static const auto& registry = *[] {
    auto* const made = new std::shared_ptr<UnwindRegistry>(new UnwindRegistry());
    AddForkHandlers({LockForFork, UnlockAfterFork, UnlockAfterFork});
    return made;
  }();
  return registry;
}

// The lock of loaded libraries is never taken while mutex_ is held: a thread that holds that lock
// may run compiled code, and so may come here. GNU libc leaves the lock locked in a child that was
// forked while another thread loaded a library.
void UnwindRegistry::FindUnwinders() {
  if (has_given_unwinders_ || ProcessIdentity() != process_) return;
  const uint64_t count = CountOfLoadedLibraries();
  if (library_count_.load(std::memory_order_acquire) == count) return;
  absl::flat_hash_set<const void*> known;
  {
    absl::MutexLock lock(&mutex_);
    known = known_;
  }
  std::vector<FoundUnwinder> found = FindProcessUnwinders(known);
  {
    absl::MutexLock lock(&mutex_);
    for (FoundUnwinder& unwinder : found) {
      // Another thread may have found it meanwhile.
      if (!known_.insert(unwinder.function).second) continue;
      for (const auto& [table, code] : code_of_table_) {
        unwinder.unwinder->Register({ExecutorAddress::Of(table), code});
      }
      unwinders_.push_back(std::move(unwinder.unwinder));
    }
  }
  library_count_.store(count, std::memory_order_release);
}

void UnwindRegistry::Register(const UnwindTable& table) {
  absl::MutexLock lock(&mutex_);
  code_of_table_[table.table.InThisProcess<const void*>()] = table.code;
  for (const std::unique_ptr<Unwinder>& unwinder : unwinders_) unwinder->Register(table);
}

void UnwindRegistry::Withdraw(absl::Span<const UnwindTable> tables) {
  absl::MutexLock lock(&mutex_);
  for (const UnwindTable& table : tables) {
    code_of_table_.erase(table.table.InThisProcess<const void*>());
  }
  for (const std::unique_ptr<Unwinder>& unwinder : unwinders_) unwinder->Withdraw(tables);
}

size_t UnwindRegistry::registration_count() const {
  absl::MutexLock lock(&mutex_);
  size_t count = 0;
  for (const std::unique_ptr<Unwinder>& unwinder : unwinders_) {
    count += unwinder->registration_count();
  }
  return count;
}

}  // namespace firstcall

// Where the labels are that the inline assembly of a source module's functions defines. A function
// enters its labels when its object has been loaded, before its references are bound: data that the
// function needs may hold the labels' addresses.
//
// Thread-safe. Tested in tests/programs/single/labels_in_data.c.

#ifndef FIRSTCALL_RUNTIME_LINK_LABEL_TABLE_H_
#define FIRSTCALL_RUNTIME_LINK_LABEL_TABLE_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "memory/executor_address.h"
#include "seam/assembly_labels.h"

namespace firstcall {

class LabelTable {
 public:
  std::optional<ExecutorAddress> Find(absl::string_view label) const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    const auto found = places_.find(label);
    if (found == places_.end()) return std::nullopt;
    return found->second;
  }

  void Enter(absl::string_view label, ExecutorAddress place) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    places_[label] = place;
  }

  // Forgets a label: linking its function has failed.
  void Forget(absl::string_view label) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    places_.erase(label);
  }

  // Whether SetLabels was called: from then on DefinerOf knows which function defines a label.
  bool KnowsDefiners() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return labels_.has_value();
  }
  std::optional<SymbolOrdinal> DefinerOf(absl::string_view label) const
      ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return labels_ ? labels_->DefinerOf(label) : std::nullopt;
  }
  void SetLabels(AssemblyLabels labels) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    labels_ = std::move(labels);
  }

 private:
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, ExecutorAddress> places_ ABSL_GUARDED_BY(mutex_);
  std::optional<AssemblyLabels> labels_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_LABEL_TABLE_H_

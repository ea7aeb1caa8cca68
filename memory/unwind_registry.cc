// The group that replaces others is registered before those are withdrawn, so that a thread that
// throws meanwhile finds each table at least once.

#include "memory/unwind_registry.h"

#include <dlfcn.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_set.h"

// libgcc's registration interface (unwind-dw2-fde.h); it has no public header.
extern "C" {
void __register_frame(void* table);
void __register_frame_table(void* tables);
void __deregister_frame(void* begin);
}

namespace firstcall {

UnwindRegistry::Grouping UnwindRegistry::DefaultGrouping() {
  // A symbol that libgcc has had since its version 13.
  static const bool has_tree = dlvsym(RTLD_DEFAULT, "__truncdfbf2", "GCC_13.0.0") != nullptr;
  return has_tree ? Grouping::kIndividual : Grouping::kMerge;
}

UnwindRegistry::~UnwindRegistry() {
  absl::MutexLock lock(&mutex_);
  for (const Group& group : groups_) Deregister(group);
}

void UnwindRegistry::Deregister(const Group& group) {
  __deregister_frame(grouping_ == Grouping::kIndividual ? group.tables->front()
                                                        : group.tables->data());
}

void UnwindRegistry::Withdraw(absl::Span<const ExecutorAddress> tables) {
  if (tables.empty()) return;
  absl::flat_hash_set<void*> withdrawn;
  for (ExecutorAddress table : tables) withdrawn.insert(table.InThisProcess<void*>());
  const auto is_withdrawn = [&](void* table) { return withdrawn.contains(table); };
  absl::MutexLock lock(&mutex_);
  for (size_t i = groups_.size(); i-- > 0 && !withdrawn.empty();) {
    Group& group = groups_[i];
    Group rest;
    rest.rank = group.rank;
    rest.tables = std::make_unique<std::vector<void*>>();
    std::remove_copy_if(group.tables->begin(), group.tables->end(),
                        std::back_inserter(*rest.tables), is_withdrawn);
    if (rest.tables->size() == group.tables->size()) continue;
    for (void* table : *group.tables) withdrawn.erase(table);
    // A null is left of a group of which all tables are withdrawn.
    const bool is_empty = rest.tables->size() == 1;
    if (!is_empty) __register_frame_table(rest.tables->data());
    Deregister(group);
    if (is_empty) {
      groups_.erase(groups_.begin() + i);
    } else {
      group = std::move(rest);
    }
  }
}

void UnwindRegistry::Register(ExecutorAddress table) {
  absl::MutexLock lock(&mutex_);
  Group group;
  group.tables = std::make_unique<std::vector<void*>>();
  *group.tables = {table.InThisProcess<void*>(), nullptr};
  if (grouping_ == Grouping::kIndividual) {
    __register_frame(group.tables->front());
    groups_.push_back(std::move(group));
    return;
  }
  __register_frame_table(group.tables->data());
  groups_.push_back(std::move(group));
  while (groups_.size() >= 2 && groups_[groups_.size() - 2].rank == groups_.back().rank) {
    MergeLastTwo();
  }
}

void UnwindRegistry::MergeLastTwo() {
  Group& first = groups_[groups_.size() - 2];
  Group& second = groups_.back();
  Group merged;
  merged.rank = second.rank + 1;
  merged.tables = std::make_unique<std::vector<void*>>(*first.tables);
  merged.tables->pop_back();
  merged.tables->insert(merged.tables->end(), second.tables->begin(), second.tables->end());
  __register_frame_table(merged.tables->data());
  __deregister_frame(first.tables->data());
  __deregister_frame(second.tables->data());
  groups_.pop_back();
  groups_.back() = std::move(merged);
}

size_t UnwindRegistry::group_count() const {
  absl::MutexLock lock(&mutex_);
  return groups_.size();
}

}  // namespace firstcall

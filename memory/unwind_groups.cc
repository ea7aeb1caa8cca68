// Another thread may throw at any moment and must find each table then. So the replacement of a
// group is registered before the group is withdrawn. When two groups are merged, the lower one is
// withdrawn first: while the upper one is registered, it is found for its addresses; after that,
// the merged group is.

#include "memory/unwind_groups.h"

#include <utility>

#include "absl/base/const_init.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"

namespace firstcall {
namespace {

// If the first 32 bits that __deregister_frame_info gets are zero, it takes them for an empty table
// and withdraws nothing (unwind-dw2-fde.c). If it gets a list, they are half of the first pointer,
// and tables may begin at multiples of 4 GiB. So every list begins with a pointer to an empty table
// that does not begin there.
void* EmptyTable() {
  static constexpr uint32_t kEnds[2] = {};
  const bool is_first_taken_for_end =
      static_cast<uint32_t>(reinterpret_cast<uintptr_t>(kEnds)) == 0;
  return const_cast<uint32_t*>(&kEnds[is_first_taken_for_end ? 1 : 0]);
}

}  // namespace

// A thread may still read a registration in which it has found other code's entry, and there is no
// later withdrawal after which the registration could be freed.
void UnwindGroups::KeepForGood(std::unique_ptr<Object> object) {
  static absl::Mutex mutex(absl::kConstInit);
  static auto* const kept = new std::vector<std::unique_ptr<Object>>();
  absl::MutexLock lock(&mutex);
  kept->push_back(std::move(object));
}

UnwindGroups::~UnwindGroups() {
  for (auto& [stretch, group] : groups_) {
    functions_.deregister(group->list.data());
    KeepForGood(std::move(group->object));
  }
  for (Withdrawn& withdrawn : withdrawn_) KeepForGood(std::move(withdrawn.object));
}

std::unique_ptr<UnwindGroups::Group> UnwindGroups::Make(const std::vector<void*>& tables) const {
  if (tables.empty()) return nullptr;
  auto group = std::make_unique<Group>();
  group->list.reserve(tables.size() + 2);
  group->list.push_back(EmptyTable());
  group->list.insert(group->list.end(), tables.begin(), tables.end());
  group->list.push_back(nullptr);
  functions_.register_table(group->list.data(), group->object.get());
  return group;
}

// Only threads that hold libgcc's mutex read the list, so the list is freed at once.
void UnwindGroups::Retire(std::unique_ptr<Group> group) {
  if (group == nullptr) return;
  functions_.deregister(group->list.data());
  const auto now = std::chrono::steady_clock::now();
  withdrawn_.push_back({std::move(group->object), now});
  while (withdrawn_.size() > kKeptRegistrations && now - withdrawn_.front().time > kKeptTime) {
    withdrawn_.pop_front();
  }
}

void UnwindGroups::Register(const UnwindTable& table) {
  std::unique_ptr<Group>& group = groups_[StretchOf(table.code)];
  std::vector<void*> tables;
  if (group != nullptr) tables.assign(group->tables().begin(), group->tables().end());
  tables.push_back(table.table.InThisProcess<void*>());
  std::unique_ptr<Group> before = std::exchange(group, Make(tables));
  Retire(std::move(before));
  if (groups_.size() > kMostGroups) DoubleStretches();
}

void UnwindGroups::DoubleStretches() {
  ++stretch_bits_;
  absl::btree_map<uint64_t, std::unique_ptr<Group>> groups;
  for (auto& [stretch, group] : groups_) {
    std::unique_ptr<Group>& merged = groups[stretch / 2];
    if (merged == nullptr) {
      merged = std::move(group);
      continue;
    }
    std::vector<void*> tables(merged->tables().begin(), merged->tables().end());
    tables.insert(tables.end(), group->tables().begin(), group->tables().end());
    std::unique_ptr<Group> lower = std::exchange(merged, Make(tables));
    Retire(std::move(lower));
    Retire(std::move(group));
  }
  groups_ = std::move(groups);
}

void UnwindGroups::Withdraw(absl::Span<const UnwindTable> tables) {
  absl::btree_map<uint64_t, absl::flat_hash_set<void*>> withdrawn;
  for (const UnwindTable& table : tables) {
    withdrawn[StretchOf(table.code)].insert(table.table.InThisProcess<void*>());
  }
  for (const auto& [stretch, of_group] : withdrawn) {
    auto found = groups_.find(stretch);
    if (found == groups_.end()) continue;
    std::vector<void*> rest;
    for (void* table : found->second->tables()) {
      if (!of_group.contains(table)) rest.push_back(table);
    }
    std::unique_ptr<Group> before = std::exchange(found->second, Make(rest));
    if (found->second == nullptr) groups_.erase(found);
    Retire(std::move(before));
  }
}

}  // namespace firstcall

// Another thread may throw at any moment and must find each table then. So the replacement of a
// group is registered before the group is withdrawn. When two groups are merged, the lower one is
// withdrawn first: while the upper one is registered, it is found for its addresses; after that,
// the merged group is.

#include "memory/unwind_registry.h"

#include <dlfcn.h>

#include <utility>

#include "absl/container/flat_hash_set.h"

// libgcc's registration interface (unwind-dw2-fde.h); it has no public header.
extern "C" {
void __register_frame(void* table);
void __register_frame_table(void* tables);
void __deregister_frame(void* begin);
}

namespace firstcall {
namespace {

// If the first 32 bits that __deregister_frame gets are zero, it takes them for an empty table and
// withdraws nothing (unwind-dw2-fde.c). If it gets a list, they are half of the first pointer, and
// tables may begin at multiples of 4 GiB. So every list begins with a pointer to an empty table
// that does not begin there.
void* EmptyTable() {
  static constexpr uint32_t kEnds[2] = {};
  const bool is_first_taken_for_end =
      static_cast<uint32_t>(reinterpret_cast<uintptr_t>(kEnds)) == 0;
  return const_cast<uint32_t*>(&kEnds[is_first_taken_for_end ? 1 : 0]);
}

}  // namespace

UnwindRegistry::Grouping UnwindRegistry::DefaultGrouping() {
  // libgcc has had this symbol since version 13.
  static const bool has_tree = dlvsym(RTLD_DEFAULT, "__truncdfbf2", "GCC_13.0.0") != nullptr;
  return has_tree ? Grouping::kIndividual : Grouping::kMerge;
}

UnwindRegistry::~UnwindRegistry() {
  absl::MutexLock lock(&mutex_);
  for (const auto& [stretch, group] : groups_) {
    if (grouping_ == Grouping::kMerge) {
      __deregister_frame(group->data());
    } else {
      for (void* table : TablesOf(group)) __deregister_frame(table);
    }
  }
}

absl::Span<void* const> UnwindRegistry::TablesOf(const Group& group) {
  if (group == nullptr) return {};
  return absl::MakeConstSpan(*group).subspan(1, group->size() - 2);
}

// An empty list of tables sets the group to null.
void UnwindRegistry::Replace(Group& group, const std::vector<void*>& tables) {
  Group replacement;
  if (!tables.empty()) {
    replacement = std::make_unique<std::vector<void*>>();
    replacement->reserve(tables.size() + 2);
    replacement->push_back(EmptyTable());
    replacement->insert(replacement->end(), tables.begin(), tables.end());
    replacement->push_back(nullptr);
    if (grouping_ == Grouping::kMerge) __register_frame_table(replacement->data());
  }
  if (group != nullptr && grouping_ == Grouping::kMerge) __deregister_frame(group->data());
  group = std::move(replacement);
}

void UnwindRegistry::Register(const UnwindTable& table) {
  absl::MutexLock lock(&mutex_);
  Group& group = groups_[StretchOf(table.code)];
  const absl::Span<void* const> before = TablesOf(group);
  std::vector<void*> tables(before.begin(), before.end());
  tables.push_back(table.table.InThisProcess<void*>());
  if (grouping_ == Grouping::kIndividual) {
    __register_frame(tables.back());
    ++individual_;
  }
  Replace(group, tables);
  if (grouping_ == Grouping::kMerge && groups_.size() > kMostGroups) DoubleStretches();
}

void UnwindRegistry::DoubleStretches() {
  ++stretch_bits_;
  absl::btree_map<uint64_t, Group> groups;
  for (auto& [stretch, group] : groups_) {
    Group& merged = groups[stretch / 2];
    if (merged == nullptr) {
      merged = std::move(group);
      continue;
    }
    const absl::Span<void*const> lower = TablesOf(merged), upper = TablesOf(group);
    std::vector<void*> tables(lower.begin(), lower.end());
    tables.insert(tables.end(), upper.begin(), upper.end());
    Replace(merged, tables);
    __deregister_frame(group->data());
  }
  groups_ = std::move(groups);
}

void UnwindRegistry::Withdraw(absl::Span<const UnwindTable> tables) {
  absl::MutexLock lock(&mutex_);
  absl::btree_map<uint64_t, absl::flat_hash_set<void*>> withdrawn;
  for (const UnwindTable& table : tables) {
    withdrawn[StretchOf(table.code)].insert(table.table.InThisProcess<void*>());
  }
  for (const auto& [stretch, of_group] : withdrawn) {
    auto found = groups_.find(stretch);
    if (found == groups_.end()) continue;
    std::vector<void*> rest;
    for (void* table : TablesOf(found->second)) {
      if (!of_group.contains(table)) {
        rest.push_back(table);
      } else if (grouping_ == Grouping::kIndividual) {
        __deregister_frame(table);
        --individual_;
      }
    }
    Replace(found->second, rest);
    if (found->second == nullptr) groups_.erase(found);
  }
}

size_t UnwindRegistry::group_count() const {
  absl::MutexLock lock(&mutex_);
  return grouping_ == Grouping::kIndividual ? individual_ : groups_.size();
}

}  // namespace firstcall

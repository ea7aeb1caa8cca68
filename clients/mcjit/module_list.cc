#include "clients/mcjit/module_list.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "clients/mcjit/module_copy.h"

namespace firstcall {
namespace {

bool IsAdded(const ListedModule& entry) { return entry.state == ListedModule::State::kAdded; }

template <typename Condition>
ListedModule* FirstOf(std::vector<ListedModule>& entries, Condition condition) {
  const auto found = std::find_if(entries.begin(), entries.end(), condition);
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

void ModuleList::Remove(const ListedModule& entry) {
  entries_.erase(entries_.begin() + (&entry - entries_.data()));
}

ListedModule* ModuleList::Find(const llvm::Module* module) {
  return FirstOf(entries_, [&](const ListedModule& entry) { return entry.module == module; });
}

ListedModule* ModuleList::FindAdded(const llvm::Module& module) {
  ListedModule* const entry = Find(&module);
  return entry != nullptr && IsAdded(*entry) ? entry : nullptr;
}

ListedModule* ModuleList::FirstAdded() { return FirstOf(entries_, IsAdded); }

ListedModule* ModuleList::FindAddedThatDefines(const std::string& object_name,
                                               bool functions_only) {
  absl::string_view name = object_name;
  if (global_prefix_ != '\0' && !name.empty() && name.front() == global_prefix_) {
    name.remove_prefix(1);
  }
  return FirstOf(entries_, [&](const ListedModule& entry) {
    return IsAdded(entry) && DefinitionIn(*entry.module, name, functions_only) != nullptr;
  });
}

}  // namespace firstcall

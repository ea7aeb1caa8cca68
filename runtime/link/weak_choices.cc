#include "runtime/link/weak_choices.h"

namespace firstcall {

bool WeakChoices::IsReplaced(SymbolOrdinal definition, absl::FunctionRef<Choice()> decide) {
  {
    absl::MutexLock lock(&mutex_);
    if (auto found = decided_.find(definition); found != decided_.end()) {
      return found->second.choice.is_replaced;
    }
  }
  const Choice choice = decide();
  absl::MutexLock lock(&mutex_);
  return decided_.try_emplace(definition, Decided{choice, std::nullopt})
      .first->second.choice.is_replaced;
}

std::optional<WeakChoices::Binding> WeakChoices::BindingOf(SymbolOrdinal definition) const {
  absl::MutexLock lock(&mutex_);
  const auto found = decided_.find(definition);
  if (found == decided_.end() || !found->second.address) return std::nullopt;
  return Binding{*found->second.address, found->second.choice.object};
}

void WeakChoices::Bind(SymbolOrdinal definition, ExecutorAddress address) {
  absl::MutexLock lock(&mutex_);
  if (auto found = decided_.find(definition); found != decided_.end()) {
    found->second.address = address;
  }
}

std::vector<SymbolOrdinal> WeakChoices::UnboundOf(const SourceModule& other) const {
  absl::MutexLock lock(&mutex_);
  std::vector<SymbolOrdinal> unbound;
  for (const auto& [definition, decided] : decided_) {
    if (decided.choice.by == &other && !decided.address) unbound.push_back(definition);
  }
  return unbound;
}

bool WeakChoices::Forget(const SourceModule& other,
                         absl::FunctionRef<bool(SymbolOrdinal)> must_stay) {
  absl::MutexLock lock(&mutex_);
  bool keeps = false;
  absl::erase_if(decided_, [&](auto& entry) {
    auto& [definition, decided] = entry;
    if (decided.choice.by != &other) return false;
    if (!decided.address || !must_stay(definition)) return true;
    decided.choice.by = nullptr;
    decided.choice.object = nullptr;
    keeps = true;
    return false;
  });
  return keeps;
}

void WeakChoices::AddUser(ModuleId module) {
  absl::MutexLock lock(&mutex_);
  users_.insert(module);
}

std::vector<ModuleId> WeakChoices::users() const {
  absl::MutexLock lock(&mutex_);
  return {users_.begin(), users_.end()};
}

}  // namespace firstcall

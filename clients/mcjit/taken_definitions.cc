#include "clients/mcjit/taken_definitions.h"

#include <utility>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "object/symbol_name.h"

namespace firstcall {

void TakenDefinitions::EnterLazy(const std::vector<std::string>& names, ModuleId id) {
  absl::MutexLock lock(&mutex_);
  for (const std::string& name : names) definitions_.insert_or_assign(name, Definition{id});
}

void TakenDefinitions::EnterWhole(const std::vector<std::string>& names) {
  absl::MutexLock lock(&mutex_);
  for (const std::string& name : names) definitions_.insert_or_assign(name, Definition());
  without_address_.insert(without_address_.end(), names.begin(), names.end());
}

std::optional<TakenDefinitions::Definition> TakenDefinitions::Find(
    const std::string& object_name) const {
  absl::string_view name = object_name;
  absl::ConsumePrefix(&name, kEmulatedTlsPrefix);
  absl::ReaderMutexLock lock(&mutex_);
  const auto found = definitions_.find(name);
  if (found == definitions_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> TakenDefinitions::TakeNamesWithoutAddress() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(without_address_, {});
}

void TakenDefinitions::SetAddress(const std::string& name, uint64_t address) {
  absl::MutexLock lock(&mutex_);
  Definition& definition = definitions_[name];
  if (!definition.lazy) definition.address = address;
}

}  // namespace firstcall

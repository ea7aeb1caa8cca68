#include "runtime/program/source_modules.h"

#include <utility>

#include "runtime/process/work_scope.h"

namespace firstcall {

ModuleId SourceModules::NextId() {
  absl::MutexLock lock(&mutex_);
  return ModuleId{next_id_++};
}

void SourceModules::Add(std::shared_ptr<SourceModule> module) {
  absl::MutexLock lock(&mutex_);
  const ModuleId id = module->id();
  construction_.Add(*module);
  modules_.emplace(id, std::move(module));
}

std::shared_ptr<SourceModule> SourceModules::Find(ModuleId id) const {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  auto found = modules_.find(id);
  return found == modules_.end() ? nullptr : found->second;
}

std::shared_ptr<SourceModule> SourceModules::ClaimForRemoval(ModuleId id) {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  auto found = modules_.find(id);
  return found == modules_.end() || !claimed_.insert(id).second ? nullptr : found->second;
}

void SourceModules::ReleaseClaim(ModuleId id) {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  claimed_.erase(id);
}

std::shared_ptr<SourceModule> SourceModules::Remove(ModuleId id) {
  absl::MutexLock lock(&mutex_);
  auto found = modules_.find(id);
  if (found == modules_.end()) return nullptr;
  std::shared_ptr<SourceModule> module = std::move(found->second);
  modules_.erase(found);
  construction_.Remove(id);
  return module;
}

std::vector<std::shared_ptr<SourceModule>> SourceModules::All() const {
  std::vector<std::shared_ptr<SourceModule>> modules;
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, module] : modules_) modules.push_back(module);
  return modules;
}

}  // namespace firstcall

#include "runtime/program/construction.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/forks.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

// Between two looks whether the other thread has ended its turn.
constexpr absl::Duration kPause = absl::Milliseconds(1);

}  // namespace

Construction::Turn::Turn(Construction& construction)
    : construction_(construction), is_of_callback_(WorkScope::IsAtWork()) {
  while (!is_of_callback_ && !construction_.Begin()) absl::SleepFor(kPause);
}

Construction::Turn::~Turn() {
  if (is_of_callback_) return;
  const ForkScope scope;
  absl::MutexLock lock(&construction_.mutex_);
  --construction_.turns_;
}

bool Construction::Turn::is_outermost() const {
  if (is_of_callback_) return false;
  const ForkScope scope;
  absl::MutexLock lock(&construction_.mutex_);
  return construction_.turns_ == 1;
}

bool Construction::Begin() {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  // A parent's other thread does not exist here.
  if (process_ != ProcessIdentity() && thread_ != std::this_thread::get_id()) turns_ = 0;
  if (turns_ > 0 && thread_ != std::this_thread::get_id()) return false;
  ++turns_;
  process_ = ProcessIdentity();
  thread_ = std::this_thread::get_id();
  return true;
}

void Construction::Add(SourceModule& module) {
  absl::MutexLock lock(&mutex_);
  to_construct_.emplace(module.id(), &module);
}

void Construction::Remove(ModuleId module) {
  absl::MutexLock lock(&mutex_);
  to_construct_.erase(module);
  unfinished_.erase(module);
  to_destroy_.erase(module);
  const auto is_of_module = [&](const LifecycleStep& step) {
    return step.module != nullptr && step.module->id() == module;
  };
  put_back_.erase(std::remove_if(put_back_.begin(), put_back_.end(), is_of_module),
                  put_back_.end());
}

bool Construction::IsUnfinished(const SourceModule& module) const {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  return unfinished_.contains(module.id()) ||
         (to_construct_.contains(module.id()) && !module.index().constructors().empty());
}

Construction::Taken Construction::TakeConstructors() {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  Taken taken;
  Steps& steps = taken.steps;
  steps = std::exchange(put_back_, {});
  for (const auto& [id, module] : std::exchange(to_construct_, {})) {
    taken.modules.push_back(module->shared_from_this());
    const auto constructors = module->index().constructors();
    if (constructors.empty()) {
      to_destroy_.emplace(id, module);
      continue;
    }
    unfinished_[id] = constructors.size();
    for (const LifecycleFunction& entry : constructors) {
      steps.push_back(
          {entry.priority, module->shared_from_this(), entry.function, ExecutorAddress()});
    }
  }
  return taken;
}

void Construction::PutBack(Steps steps) {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  for (LifecycleStep& step : steps) {
    const bool is_removed = step.module != nullptr && !unfinished_.contains(step.module->id());
    if (!is_removed) put_back_.push_back(std::move(step));
  }
}

Construction::Run::Run(Construction& construction, const LifecycleStep& step)
    : construction_(construction), step_(step) {
  if (step.module == nullptr) return;
  const ForkScope scope;
  absl::MutexLock lock(&construction_.mutex_);
  if (construction_.unfinished_.contains(step.module->id())) {
    construction_.to_destroy_.emplace(step.module->id(), step.module.get());
  }
}

Construction::Run::~Run() {
  if (step_.module == nullptr) return;
  const ForkScope scope;
  absl::MutexLock lock(&construction_.mutex_);
  auto& unfinished = construction_.unfinished_;
  const auto found = unfinished.find(step_.module->id());
  if (found != unfinished.end() && --found->second == 0) unfinished.erase(found);
}

std::vector<std::shared_ptr<SourceModule>> Construction::TakeToDestroy() {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  std::vector<std::shared_ptr<SourceModule>> taken;
  for (const auto& [id, module] : std::exchange(to_destroy_, {})) {
    taken.push_back(module->shared_from_this());
  }
  return taken;
}

bool Construction::TakeToDestroy(const SourceModule& module) {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  return to_destroy_.erase(module.id()) != 0;
}

}  // namespace firstcall

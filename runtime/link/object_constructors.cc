#include "runtime/link/object_constructors.h"

#include <utility>

#include "runtime/process/work_scope.h"

namespace firstcall {

void ObjectConstructors::Add(absl::Span<LazyObject* const> linked) {
  absl::MutexLock lock(&mutex_);
  for (LazyObject* object : linked) {
    if (object->module != nullptr) continue;
    pending_.push_back(object);
    has_pending_ = true;
  }
}

std::vector<LazyObject*> ObjectConstructors::TakeToConstruct() {
  absl::MutexLock lock(&mutex_);
  has_started_ = true;
  has_pending_ = false;
  constructed_.insert(constructed_.end(), pending_.begin(), pending_.end());
  return std::exchange(pending_, {});
}

std::vector<LazyObject*> ObjectConstructors::TakeToDestroy() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(constructed_, {});
}

void ObjectConstructors::SetArguments(std::shared_ptr<const ProgramArguments> arguments) {
  const ForkScope scope;
  absl::MutexLock lock(&mutex_);
  if (arguments_ == nullptr) arguments_ = std::move(arguments);
}

void ObjectConstructors::RunPending() {
  if (!has_pending_.load(std::memory_order_relaxed) || !has_started_) return;
  std::shared_ptr<const ProgramArguments> arguments;
  {
    absl::MutexLock lock(&mutex_);
    arguments = arguments_;
  }
  for (const LazyObject* object : TakeToConstruct()) {
    ProgramCodeScope scope;
    for (const LazyObject::LifecycleCode& constructor : object->constructors) {
      CallConstructor(constructor.address, *arguments);
    }
  }
}

}  // namespace firstcall

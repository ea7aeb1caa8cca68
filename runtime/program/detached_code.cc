#include "runtime/program/detached_code.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/process/work_scope.h"
#include "runtime/program/detached_parts.h"

namespace firstcall {

DetachedCode::DetachedCode(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {
  parts_->exit_hook.emplace([this] { parts_->RunDestructors(); });
}

DetachedCode::~DetachedCode() {
  parts_->exit_hook.reset();
  parts_->RunDestructors();
  const ForkScope scope;
  for (const NamedStub& stub : parts_->stubs) {
    FunctionTable::Retire(parts_->code_space->stubs(), stub, parts_->name, "its code was freed",
                          parts_->failures);
  }
  for (const PromotionCounters& counters : parts_->counters) parts_->code_space->Free(counters);
  parts_ = nullptr;
}

void DetachedCode::Parts::RunDestructors() {
  exit_handlers.Run();
  for (ExecutorAddress destructor : std::exchange(destructors, {})) {
    destructor.InThisProcess<void (*)()>()();
    exit_handlers.Run();
  }
}

const std::string& DetachedCode::name() const { return parts_->name; }

absl::StatusOr<void*> DetachedCode::LookupAddress(absl::string_view name) const {
  auto found = parts_->addresses.find(name);
  if (found == parts_->addresses.end()) {
    return absl::NotFoundError(
        absl::StrCat("symbol '", name, "' is not defined by '", parts_->name, "'"));
  }
  return found->second.InThisProcess<void*>();
}

size_t DetachedCode::code_bytes() const { return parts_->code->code_bytes(); }

}  // namespace firstcall

#include "runtime/waiting_list.h"

#include <algorithm>

namespace firstcall {

HotFunction* WaitingList::TakeHottest(
    absl::FunctionRef<bool(const HotFunction& function)> must_wait) {
  auto hottest = functions_.end();
  for (auto function = functions_.begin(); function != functions_.end(); ++function) {
    if (must_wait(**function)) continue;
    if (hottest == functions_.end() || (*hottest)->asked_times() < (*function)->asked_times()) {
      hottest = function;
    }
  }
  if (hottest == functions_.end()) return nullptr;
  HotFunction* const taken = *hottest;
  functions_.erase(hottest);
  return taken;
}

void WaitingList::Forget(const SourceModule* module) {
  const auto is_of_module = [&](const HotFunction* function) {
    return function->key().module == module;
  };
  functions_.erase(std::remove_if(functions_.begin(), functions_.end(), is_of_module),
                   functions_.end());
}

}  // namespace firstcall

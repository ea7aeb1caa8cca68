#include "runtime/promotion/waiting_list.h"

#include <algorithm>

namespace firstcall {

namespace {

// A quiet function may need no optimized body, because its callers' bodies have inlined it.
// A function that has its optimized body, and asks for a continuation, comes after those without:
// only the call that is running now has something from it, and it takes as long as the body took.
// Among the others, what saves most for the time that it takes comes first (Smith's rule for one
// machine, 1956): a large interpreter waits until the small functions that it calls are done.
bool ComesBefore(const HotFunction& a, const HotFunction& b) {
  if (a.first_body().is_quiet() != b.first_body().is_quiet()) return b.first_body().is_quiet();
  if (a.has_body() != b.has_body()) return b.has_body();
  return a.first_body().Urgency() > b.first_body().Urgency();
}

}  // namespace

HotFunction* WaitingList::TakeMostUrgent(
    absl::FunctionRef<bool(const HotFunction& function)> must_wait) {
  auto most_urgent = functions_.end();
  for (auto function = functions_.begin(); function != functions_.end(); ++function) {
    if (must_wait(**function)) continue;
    if (most_urgent == functions_.end() || ComesBefore(**function, **most_urgent))
      most_urgent = function;
  }
  if (most_urgent == functions_.end()) return nullptr;
  HotFunction* const taken = *most_urgent;
  functions_.erase(most_urgent);
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

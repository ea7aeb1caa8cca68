// For tests that fork while other threads run: Abseil's search for deadlocks, which debug builds
// have, takes a lock that another thread may hold then, and that nobody releases in the child. So
// there is no search. To be linked in whole.

#include "absl/synchronization/mutex.h"

namespace firstcall {
namespace {

[[maybe_unused]] const bool no_deadlock_search = [] {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return true;
}();

}  // namespace
}  // namespace firstcall

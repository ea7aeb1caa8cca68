#include "stubs/reentry.h"

#include "base/floating_point_environment.h"
#include "base/no_cancellation.h"
#include "base/program_thread_state.h"

namespace {

thread_local uint64_t caller_at_reentry = 0;

// `before`: the state to restore if a handler of the client's throws an exception.
uint64_t Resolve(firstcall::ReentryContext& context, uint64_t index,
                 const firstcall::CancellationState& before) {
  try {
    firstcall::LibraryState state;
    firstcall::CompilerFloatingPoint floating_point;
    return context.resolve(context, index).value();
  } catch (...) {
    before.Restore();
    throw;
  }
}

}  // namespace

namespace firstcall {

ExecutorAddress CallerAtReentry() { return ExecutorAddress(caller_at_reentry); }

}  // namespace firstcall

extern "C" {

// Called by the reentry's assembly.
__attribute__((visibility("hidden"))) uint64_t firstcall_reentry_resolve(
    firstcall::ReentryContext* context, uint64_t index, uint64_t caller) {
  const auto before = firstcall::CancellationState::Disable();
  caller_at_reentry = caller;
  const uint64_t address = Resolve(*context, index, before);
  before.Restore();
  return address;
}

}  // extern "C"

#include "stubs/reentry.h"

#include "base/floating_point_environment.h"
#include "base/no_interruption.h"
#include "base/program_thread_state.h"

namespace {

thread_local uint64_t caller_at_reentry = 0;

}  // namespace

namespace firstcall {

ExecutorAddress CallerAtReentry() { return ExecutorAddress(caller_at_reentry); }

}  // namespace firstcall

extern "C" {

// Called by the reentry's assembly.
__attribute__((visibility("hidden"))) uint64_t firstcall_reentry_resolve(
    firstcall::ReentryContext* context, uint64_t index, uint64_t caller) {
  return firstcall::WithoutInterruption([&] {
    caller_at_reentry = caller;
    firstcall::LibraryState state;
    firstcall::CompilerFloatingPoint floating_point;
    return context->resolve(*context, index).value();
  });
}

}  // extern "C"

#include "stubs/reentry.h"

#include "base/floating_point_environment.h"
#include "base/program_thread_state.h"

extern "C" {

// Called by the reentry's assembly.
__attribute__((visibility("hidden"))) uint64_t firstcall_reentry_resolve(
    firstcall::ReentryContext* context, uint64_t index) {
  firstcall::ProgramThreadState state;
  firstcall::CompilerFloatingPoint floating_point;
  return context->resolve(*context, index).value();
}

}  // extern "C"

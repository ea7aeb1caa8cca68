// The C++ side of the reentry: the assembly asks it where to continue a call that came from an
// unpublished stub or from a counter that has run out.
//
// Thread-safe.

#ifndef FIRSTCALL_STUBS_REENTRY_H_
#define FIRSTCALL_STUBS_REENTRY_H_

#include <cstdint>

#include "memory/executor_address.h"

namespace firstcall {

// The beginning of the context of a block of stubs or counters.
struct ReentryContext {
  // Returns the address at which the call of stub or counter `index` continues. May block on a
  // compile, and may throw an exception, which unwinds to the caller of the stub. Runs in the
  // compiler's floating-point environment (see CompilerFloatingPoint).
  ExecutorAddress (*resolve)(ReentryContext& context, uint64_t index) = nullptr;
};

// Where the call returns with which this thread has entered the reentry last; for what is called by
// ReentryContext::resolve.
ExecutorAddress CallerAtReentry();

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_REENTRY_H_

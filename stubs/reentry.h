// The C++ side of the reentry: what it asks where a call shall go that came to it from a stub or
// from a counter.
//
// Thread-safe.

#ifndef FIRSTCALL_STUBS_REENTRY_H_
#define FIRSTCALL_STUBS_REENTRY_H_

#include <cstdint>

#include "memory/executor_address.h"

namespace firstcall {

// What the context of a block of stubs, or of counters, points to.
struct ReentryContext {
  // Returns where the call of stub, or of counter, `index` shall go. May block on a compile, and
  // may leave by an exception, which unwinds to the caller of the stub. Runs in the compiler's
  // floating-point environment (see CompilerFloatingPoint).
  ExecutorAddress (*resolve)(ReentryContext& context, uint64_t index) = nullptr;
};

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_REENTRY_H_

// The C++ side of the reentry: what it asks for the address of a function's body.
//
// Thread-safe.

#ifndef FIRSTCALL_STUBS_REENTRY_H_
#define FIRSTCALL_STUBS_REENTRY_H_

#include <cstdint>

#include "memory/executor_address.h"

namespace firstcall {

// What the context of a stub block points to.
struct ReentryContext {
  // Returns where the call of stub `index` shall go. May block on a compile, and may leave by an
  // exception, which unwinds to the caller of the stub. Runs in the
  // compiler's floating-point environment (see CompilerFloatingPoint).
  ExecutorAddress (*resolve)(ReentryContext& context, uint64_t index) = nullptr;
};

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_REENTRY_H_

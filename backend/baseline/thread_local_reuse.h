// Computes the address of a thread-local variable once for several accesses in a row, which front
// ends without optimization do not.
//
// The address of the first access in a block serves the others, up to the next call of a function:
// a function may go on with its caller on another thread (a coroutine that switches stacks).
//
// Called only for a function that computes such an address twice, so that others pay nothing.
//
// Thread-safe: a pure function. Tested in tests/backend/baseline/thread_local_reuse_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_THREAD_LOCAL_REUSE_H_
#define FIRSTCALL_BACKEND_BASELINE_THREAD_LOCAL_REUSE_H_

#include "ir/function.h"

namespace firstcall::baseline {

// Takes time in proportion to the function's size. The numbers of values, instructions and blocks
// stay; what other blocks use stays, too. False if nothing has changed.
bool ReuseThreadLocals(ir::Function& function);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_THREAD_LOCAL_REUSE_H_

// The other end of SocketConnection, in the executing process.

#ifndef FIRSTCALL_MEMORY_SERVE_EXECUTOR_H_
#define FIRSTCALL_MEMORY_SERVE_EXECUTOR_H_

#include "absl/status/status.h"
#include "memory/shared_memory_executor.h"

namespace firstcall {

// Answers what comes from the socket until the other side closes it, and returns then: OK, or
// Unavailable or InvalidArgument if that was in the middle of something or the other side does not
// speak the protocol. Requests that run actions get a thread each, because actions may wait for
// other requests to be answered; they have returned when this returns.
//
// The socket stays the caller's, but is of no use any more; so does what `executor` has, in which
// code may go on running. May be called for several sockets at once.
absl::Status ServeExecutor(int socket, SharedMemoryExecutor& executor);

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_SERVE_EXECUTOR_H_

// The executing process's end of a SocketConnection. Tested in
// tests/memory/remote_executor_test.cc.

#ifndef FIRSTCALL_MEMORY_SERVE_EXECUTOR_H_
#define FIRSTCALL_MEMORY_SERVE_EXECUTOR_H_

#include "absl/status/status.h"
#include "memory/shared_memory_executor.h"

namespace firstcall {

// Takes over the stream socket, and answers requests from it until the other side closes it; then
// returns OK. Unavailable or InvalidArgument if the connection ends within a message or if the
// other side does not follow the protocol. Each request that runs actions gets a thread of its own
// if possible, because actions may wait for other requests to be answered. All these threads have
// ended when this returns.
//
// The slabs of `executor` remain, and code in them may continue to run. May be called for several
// sockets at once.
absl::Status ServeExecutor(int socket, SharedMemoryExecutor& executor);

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_SERVE_EXECUTOR_H_

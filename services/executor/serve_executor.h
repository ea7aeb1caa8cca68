// The end of an ExecutorEngine, or of a SocketConnection, in the executing process, which needs
// neither LLVM nor an engine.
//
// Thread-safe. Tested in tests/services/executor/socket_connection_test.cc and
// tests/services/executor/executor_engine_test.cc.

#ifndef FIRSTCALL_SERVICES_EXECUTOR_SERVE_EXECUTOR_H_
#define FIRSTCALL_SERVICES_EXECUTOR_SERVE_EXECUTOR_H_

#include "absl/status/status.h"

namespace firstcall {

class SharedMemoryExecutor;

// Takes over the stream socket, and answers requests from it until the other side closes it; then
// returns OK. So the calling thread is blocked for as long as the engine exists. Unavailable or
// InvalidArgument if the connection ends within a message or if the other side does not follow the
// protocol. Each request that runs actions gets a thread of its own if possible, because actions
// may wait for other requests to be answered. All these threads have ended when this returns.
//
// The slabs of `executor` remain, and code in them may continue to run. May be called for several
// sockets at once.
absl::Status ServeExecutor(int socket, SharedMemoryExecutor& executor);

// The same with slabs of its own, which are released at the end: then no code in them may run.
absl::Status ServeExecutor(int socket);

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_EXECUTOR_SERVE_EXECUTOR_H_

// An executing process for tests: forked from this one, so that functions of the test have the same
// addresses in it and serve as actions; but slabs are reserved after that.

#ifndef FIRSTCALL_TESTS_SERVICES_EXECUTOR_REMOTE_EXECUTOR_H_
#define FIRSTCALL_TESTS_SERVICES_EXECUTOR_REMOTE_EXECUTOR_H_

#include <sys/types.h>

#include <memory>

#include "memory/executor_address.h"
#include "memory/page_mapper.h"
#include "services/executor/shared_memory_mapper.h"
#include "services/executor/socket_connection.h"

namespace firstcall {

class RemoteExecutor {
 public:
  // Forks, or fails the running test.
  RemoteExecutor();
  // Expects that the process ends by itself, without an error, when its socket is closed. Whoever
  // has the connection or the mapper besides must have given them up.
  ~RemoteExecutor();
  RemoteExecutor(const RemoteExecutor&) = delete;
  RemoteExecutor& operator=(const RemoteExecutor&) = delete;

  pid_t process() const { return process_; }
  const std::shared_ptr<SocketConnection>& connection() const { return connection_; }
  const std::shared_ptr<SharedMemoryMapper>& mapper() const { return mapper_; }

  // Waits for its end, which the destructor does not expect any more. As waitpid tells it.
  int ExitStatus();

 private:
  pid_t process_ = -1;
  std::shared_ptr<SocketConnection> connection_;
  std::shared_ptr<SharedMemoryMapper> mapper_;
};

// Lies in writable data: this process fills it in, the other one writes the answers.
struct CallRequest {
  ExecutorAddress function;  // An `int (*)(const int* until)`.
  int until = 0;
  int is_started = 0;
  int result = 0;
  pid_t process = 0;  // Which called it.
};

// The action that makes the call.
ExecutorAction CallAction(ExecutorAddress request);

// Any other.
inline ExecutorAction Action(void (*function)(void*), ExecutorAddress argument = {}) {
  return {ExecutorAddress::Of(reinterpret_cast<const void*>(function)), argument};
}

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_SERVICES_EXECUTOR_REMOTE_EXECUTOR_H_

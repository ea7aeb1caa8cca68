#include "tests/services/executor/remote_executor.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "gtest/gtest.h"
#include "services/executor/serve_executor.h"
#include "services/executor/shared_memory_executor.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

void Call(void* argument) {
  auto* request = static_cast<CallRequest*>(argument);
  request->process = getpid();
  __atomic_store_n(&request->is_started, 1, __ATOMIC_RELEASE);
  request->result = request->function.InThisProcess<int (*)(const int*)>()(&request->until);
}

[[noreturn]] void ServeAndExit(int socket) {
  absl::Status status;
  {
    SharedMemoryExecutor executor;
    status = ServeExecutor(socket, executor);
  }
  _exit(status.ok() ? 0 : 1);
}

}  // namespace

RemoteExecutor::RemoteExecutor() {
  int sockets[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
  process_ = fork();
  EXPECT_GE(process_, 0);
  if (process_ == 0) {
    close(sockets[0]);
    ServeAndExit(sockets[1]);
  }
  close(sockets[1]);
  connection_ = std::make_shared<SocketConnection>(sockets[0]);
  auto mapper = SharedMemoryMapper::Create(connection_);
  EXPECT_THAT(mapper, IsOk());
  if (mapper.ok()) mapper_ = *std::move(mapper);
}

RemoteExecutor::~RemoteExecutor() {
  mapper_.reset();
  connection_.reset();
  if (process_ > 0) {
    EXPECT_EQ(ExitStatus(), 0);
  }
}

int RemoteExecutor::ExitStatus() {
  int status = -1;
  EXPECT_EQ(waitpid(process_, &status, 0), process_);
  process_ = -1;
  return status;
}

ExecutorAction CallAction(ExecutorAddress request) { return Action(&Call, request); }

}  // namespace firstcall

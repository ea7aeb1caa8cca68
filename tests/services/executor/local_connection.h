// An executor in this process, reached through the same messages as one in another.

#ifndef FIRSTCALL_TESTS_SERVICES_EXECUTOR_LOCAL_CONNECTION_H_
#define FIRSTCALL_TESTS_SERVICES_EXECUTOR_LOCAL_CONNECTION_H_

#include <string>

#include "services/executor/executor_connection.h"
#include "services/executor/executor_service.h"
#include "services/executor/shared_memory_executor.h"

namespace firstcall {

class LocalConnection : public ExecutorConnection {
 public:
  absl::StatusOr<std::string> Call(absl::string_view request) override {
    return AnswerExecutorRequest(executor_, request);
  }

 private:
  SharedMemoryExecutor executor_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_SERVICES_EXECUTOR_LOCAL_CONNECTION_H_

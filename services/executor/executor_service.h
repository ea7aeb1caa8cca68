// Carries out requests of the compiling process in the executing process, however they arrived.
//
// Thread-safe.

#ifndef FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_SERVICE_H_
#define FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_SERVICE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "services/executor/shared_memory_executor.h"

namespace firstcall {

// Carries out the request and returns the answer, which may be an error; InvalidArgument for a
// malformed request. A request that runs no code of the client takes microseconds.
std::string AnswerExecutorRequest(SharedMemoryExecutor& executor, absl::string_view request);

// Whether the request may run code of the client. Such a request may take long, and may need
// further requests to be answered before it ends.
bool MayRunActions(absl::string_view request);

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_SERVICE_H_

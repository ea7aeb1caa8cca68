// Turns requests of the compiling process into calls of the executing side, whatever way they came.
//
// Thread-safe.

#ifndef FIRSTCALL_MEMORY_EXECUTOR_SERVICE_H_
#define FIRSTCALL_MEMORY_EXECUTOR_SERVICE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "memory/shared_memory_executor.h"

namespace firstcall {

// Carries the request out and returns the answer, errors included. A request that makes no sense is
// answered with InvalidArgument. Requests that run no code of the client take microseconds.
std::string AnswerExecutorRequest(SharedMemoryExecutor& executor, absl::string_view request);

// Whether the request may run code of the client, and so may last, and need further requests to be
// answered meanwhile.
bool MayRunActions(absl::string_view request);

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_EXECUTOR_SERVICE_H_

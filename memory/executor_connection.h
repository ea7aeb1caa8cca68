// How the compiling process reaches the executing one. A client that has a connection to it already
// puts that in this form; socket_connection is a ready one.

#ifndef FIRSTCALL_MEMORY_EXECUTOR_CONNECTION_H_
#define FIRSTCALL_MEMORY_EXECUTOR_CONNECTION_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall {

// The contract, for the client that writes one:
//  - Thread-safe: several threads call at once, and one call must not wait for another. An answer
//    takes as long as the code that runs in the executing process because of it, and that code may
//    need something compiled, which takes further calls.
//  - A request is any sequence of bytes, and arrives whole and once, or not at all.
//  - If the executing process ends, pending calls end with an error, and so do all later ones.
class ExecutorConnection {
 public:
  virtual ~ExecutorConnection() = default;

  // What AnswerExecutorRequest (executor_service.h) returns for the request in the executing
  // process. Unavailable if that process is gone. After an error the request may have been carried
  // out or not.
  virtual absl::StatusOr<std::string> Call(absl::string_view request) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_EXECUTOR_CONNECTION_H_

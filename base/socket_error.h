// The error of a call of the system on a socket.

#ifndef FIRSTCALL_BASE_SOCKET_ERROR_H_
#define FIRSTCALL_BASE_SOCKET_ERROR_H_

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace firstcall {

// Unavailable, with the operation and the system's reason (errno). Thread-safe.
inline absl::Status SocketError(absl::string_view operation) {
  return absl::UnavailableError(absl::StrCat(operation, ": ", std::strerror(errno)));
}

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_SOCKET_ERROR_H_

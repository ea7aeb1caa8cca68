// Conversions from LLVM's error types to absl::Status.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_BASE_LLVM_STATUS_H_
#define FIRSTCALL_BASE_LLVM_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "llvm/Support/Error.h"

namespace firstcall {

// OkStatus for a success value; otherwise a status of `code` whose message is "<operation>: <LLVM's
// message>". Consumes `error`.
absl::Status FromLlvm(llvm::Error error, absl::StatusCode code, absl::string_view operation);

// The value of `value`, or its error converted as above. Consumes `value`.
template <typename T>
absl::StatusOr<T> FromLlvm(llvm::Expected<T> value, absl::StatusCode code,
                           absl::string_view operation) {
  if (value) return std::move(*value);
  return FromLlvm(value.takeError(), code, operation);
}

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_LLVM_STATUS_H_

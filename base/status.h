// Context for a status, and the two macros that propagate one.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_BASE_STATUS_H_
#define FIRSTCALL_BASE_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall {

// `status` with "<context>: " before its message; keeps the code. An OK status stays as it is.
absl::Status Annotate(const absl::Status& status, absl::string_view context);

// Whether the same request may succeed later, though nothing was added or changed: memory,
// descriptors or the workers of a compile server were used up, or the library or the server of the
// compiler half could not be reached, or did not answer. Whoever keeps failures does not keep
// these.
bool MayPass(const absl::Status& failure);

}  // namespace firstcall

// Returns from the enclosing function if `expression` is not OK.
#define FIRSTCALL_RETURN_IF_ERROR(expression)                                   \
  do {                                                                          \
    if (absl::Status firstcall_status = (expression); !firstcall_status.ok()) { \
      return firstcall_status;                                                  \
    }                                                                           \
  } while (false)

// Evaluates a StatusOr and assigns its value to `lhs` (a declaration or an lvalue), or returns its
// status from the enclosing function.
#define FIRSTCALL_ASSIGN_OR_RETURN(lhs, expression) \
  FIRSTCALL_ASSIGN_OR_RETURN_NAMED_(FIRSTCALL_CONCAT_(firstcall_or_, __LINE__), lhs, expression)
#define FIRSTCALL_CONCAT_INNER_(a, b) a##b
#define FIRSTCALL_CONCAT_(a, b) FIRSTCALL_CONCAT_INNER_(a, b)
#define FIRSTCALL_ASSIGN_OR_RETURN_NAMED_(name, lhs, expression) \
  auto name = (expression);                                      \
  if (!name.ok()) return std::move(name).status();               \
  lhs = *std::move(name)

#endif  // FIRSTCALL_BASE_STATUS_H_

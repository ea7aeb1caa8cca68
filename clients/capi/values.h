// Turns the C API's types and values into those of foreign/foreign_value.
//
// Thread-safe. Tested in tests/clients/capi/capi_test.c.

#ifndef FIRSTCALL_CLIENTS_CAPI_VALUES_H_
#define FIRSTCALL_CLIENTS_CAPI_VALUES_H_

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "clients/capi/firstcall.h"
#include "foreign/foreign_value.h"

namespace firstcall::capi {

// InvalidArgument if there is no such type, or if it has more parts than any signature needs.
absl::StatusOr<ForeignType> TypeFrom(const fc_type& type);

// A value to be read, or, for a result, to be written. Its place is in `value`. Errors as TypeFrom;
// their messages begin with `which`.
absl::StatusOr<ForeignValue> ValueFrom(fc_value& value, absl::string_view which);

using Callee =
    absl::FunctionRef<absl::Status(const ForeignValue& result, absl::Span<const ForeignValue>)>;

// Calls `callee` with a client's values. `result` is null if nothing is returned.
absl::Status CallWith(const fc_value* arguments, size_t count, fc_value* result, Callee callee);

}  // namespace firstcall::capi

#endif  // FIRSTCALL_CLIENTS_CAPI_VALUES_H_

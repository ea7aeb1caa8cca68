// Calls a function whose signature is known only at run time, by C's calling convention.
//
// Thread-safe.

#ifndef FIRSTCALL_FOREIGN_FOREIGN_CALL_H_
#define FIRSTCALL_FOREIGN_FOREIGN_CALL_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "foreign/foreign_value.h"
#include "foreign/function_shape.h"
#include "memory/executor_address.h"

namespace firstcall {

// InvalidArgument, with the argument, for an invalid type or value: an argument of type void, an
// empty struct, a struct with a 128-bit integer, null bytes. Unimplemented for structs and 128-bit
// integers on architectures where this library does not know how C passes them.
absl::Status CheckValues(const ForeignValue& result, absl::Span<const ForeignValue> arguments);

// Calls the function at `address` and writes the returned value to `result`. Does not check that
// the values match the function's parameters. `plan`, which must be made for these arguments, says
// how to pass them. Errors as for CheckValues, and Unimplemented if libffi refuses the signature:
// then nothing was called. An exception that the function throws reaches the caller.
absl::Status CallForeign(ExecutorAddress address, const ForeignValue& result,
                         absl::Span<const ForeignValue> arguments, const CallPlan* plan = nullptr);

}  // namespace firstcall

#endif  // FIRSTCALL_FOREIGN_FOREIGN_CALL_H_

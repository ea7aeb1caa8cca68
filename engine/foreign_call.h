// Calling a function whose signature is known at run time only, as C calls one of the given types.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_FOREIGN_CALL_H_
#define FIRSTCALL_ENGINE_FOREIGN_CALL_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "engine/foreign_value.h"
#include "engine/function_shape.h"
#include "memory/executor_address.h"

namespace firstcall {

// InvalidArgument, with the argument, for what is not a type or a value of one: a void argument, an
// empty struct, one with a 128-bit integer in it, null bytes. Unimplemented for structs and
// 128-bit integers where it is not known which registers C passes them in.
absl::Status CheckValues(const ForeignValue& result, absl::Span<const ForeignValue> arguments);

// Calls the function at `address` and writes what it returns to `result`. Trusts the values to be
// what the function takes; with `plan`, which is for these arguments, passes them as that says.
// Errors as CheckValues, before anything is called. What the function throws goes to the caller.
absl::Status CallForeign(ExecutorAddress address, const ForeignValue& result,
                         absl::Span<const ForeignValue> arguments, const CallPlan* plan = nullptr);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_FOREIGN_CALL_H_

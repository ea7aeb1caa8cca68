// Calls with values whose types are known at run time only.

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "clients/capi/engine.h"
#include "clients/capi/error.h"
#include "clients/capi/firstcall.h"
#include "clients/capi/values.h"
#include "foreign/foreign_call.h"
#include "foreign/foreign_value.h"

extern "C" {

fc_error* fc_call(fc_engine* engine, const char* name, const fc_value* arguments, size_t count,
                  fc_value* result) {
  using firstcall::ForeignValue;
  return firstcall::capi::Guarded("fc_call", [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        firstcall::capi::RequireAll("fc_call", {{"engine", engine}, {"name", name}}));
    return firstcall::capi::CallWith(
        arguments, count, result,
        [&](const ForeignValue& returned, absl::Span<const ForeignValue> values) {
          return engine->engine->Call(name, returned, values);
        });
  });
}

fc_error* fc_call_address(uintptr_t address, const fc_value* arguments, size_t count,
                          fc_value* result) {
  using firstcall::ForeignValue;
  return firstcall::capi::Guarded("fc_call_address", [&]() -> absl::Status {
    if (address == 0) return absl::InvalidArgumentError("fc_call_address: address is 0");
    return firstcall::capi::CallWith(
        arguments, count, result,
        [&](const ForeignValue& returned, absl::Span<const ForeignValue> values) {
          return firstcall::CallForeign(firstcall::ExecutorAddress(address), returned, values);
        });
  });
}
}

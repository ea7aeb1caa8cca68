// Converts absl::Status and C++ exceptions to the errors of the C API, and back.
//
// All functions are thread-safe. Tested in tests/clients/capi/capi_test.c.

#ifndef FIRSTCALL_CLIENTS_CAPI_ERROR_H_
#define FIRSTCALL_CLIENTS_CAPI_ERROR_H_

#include <cxxabi.h>

#include <exception>
#include <initializer_list>
#include <new>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "clients/capi/firstcall.h"

struct fc_error {
  absl::StatusCode code;
  std::string message;
};

namespace firstcall::capi {

// Null for an OK status.
fc_error* ToError(const absl::Status& status);

// An error that is allocated in advance, so that it needs no memory. fc_error_free does not free
// it.
fc_error* OutOfMemory();

// Frees `error` and returns its status; OkStatus for null.
absl::Status TakeError(fc_error* error);

struct Parameter {
  const char* name;
  const void* value;
};
// InvalidArgument, with the names of the function and the parameter, if a parameter is null.
absl::Status RequireAll(const char* function, std::initializer_list<Parameter> parameters);

// A text that may be null.
inline absl::string_view OrEmpty(const char* text) { return text == nullptr ? "" : text; }

// An error of code Unknown: compiled code has thrown.
fc_error* ErrorOfException(const char* function, const char* what);

// Calls `body` and returns its status, or the exception it throws, as an error. `function` is the
// name of the C API's function.
template <typename Body>
fc_error* Guarded(const char* function, Body body) {
  try {
    return ToError(body());
  } catch (abi::__forced_unwind&) {
    throw;  // The thread is being cancelled, which must not be stopped.
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::exception& exception) {
    return ErrorOfException(function, exception.what());
  } catch (...) {
    return ErrorOfException(function, "of a type of its own");
  }
}

}  // namespace firstcall::capi

#endif  // FIRSTCALL_CLIENTS_CAPI_ERROR_H_

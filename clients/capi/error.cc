#include "clients/capi/error.h"

#include "absl/strings/str_cat.h"

static_assert(FC_CANCELLED == static_cast<int>(absl::StatusCode::kCancelled));
static_assert(FC_UNKNOWN == static_cast<int>(absl::StatusCode::kUnknown));
static_assert(FC_INVALID_ARGUMENT == static_cast<int>(absl::StatusCode::kInvalidArgument));
static_assert(FC_DEADLINE_EXCEEDED == static_cast<int>(absl::StatusCode::kDeadlineExceeded));
static_assert(FC_NOT_FOUND == static_cast<int>(absl::StatusCode::kNotFound));
static_assert(FC_ALREADY_EXISTS == static_cast<int>(absl::StatusCode::kAlreadyExists));
static_assert(FC_RESOURCE_EXHAUSTED == static_cast<int>(absl::StatusCode::kResourceExhausted));
static_assert(FC_FAILED_PRECONDITION == static_cast<int>(absl::StatusCode::kFailedPrecondition));
static_assert(FC_UNIMPLEMENTED == static_cast<int>(absl::StatusCode::kUnimplemented));
static_assert(FC_INTERNAL == static_cast<int>(absl::StatusCode::kInternal));

namespace firstcall::capi {

fc_error* OutOfMemory() {
  // Never destroyed.
  static fc_error* const error =
      new fc_error{absl::StatusCode::kResourceExhausted, "out of memory"};
  return error;
}

namespace {
// Makes the error at load time, while there is memory.
[[maybe_unused]] fc_error* const made_in_time = OutOfMemory();
}  // namespace

fc_error* ToError(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return fc_error_create(static_cast<fc_error_code>(status.code()),
                         std::string(status.message()).c_str());
}

absl::Status TakeError(fc_error* error) {
  if (error == nullptr) return absl::OkStatus();
  absl::Status status(error->code, error->message);
  fc_error_free(error);
  return status;
}

fc_error* ErrorOfException(const char* function, const char* what) {
  try {
    return ToError(absl::UnknownError(absl::StrCat(function, ": a C++ exception: ", what)));
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

absl::Status RequireAll(const char* function, std::initializer_list<Parameter> parameters) {
  for (const Parameter& parameter : parameters) {
    if (parameter.value == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(function, ": ", parameter.name, " is null"));
    }
  }
  return absl::OkStatus();
}

}  // namespace firstcall::capi

extern "C" {

fc_error_code fc_error_get_code(const fc_error* error) {
  return error == nullptr ? FC_OK : static_cast<fc_error_code>(error->code);
}

const char* fc_error_get_message(const fc_error* error) {
  return error == nullptr ? "" : error->message.c_str();
}

fc_error* fc_error_create(fc_error_code code, const char* message) {
  auto status_code = static_cast<absl::StatusCode>(code);
  if (status_code == absl::StatusCode::kOk) status_code = absl::StatusCode::kUnknown;
  try {
    return new fc_error{status_code, message == nullptr ? "" : message};
  } catch (const std::bad_alloc&) {
    return firstcall::capi::OutOfMemory();
  }
}

void fc_error_free(fc_error* error) {
  if (error != firstcall::capi::OutOfMemory()) delete error;
}
}

#include "base/status.h"

#include "absl/strings/str_cat.h"

namespace firstcall {

absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

bool MayPass(const absl::Status& failure) {
  return absl::IsResourceExhausted(failure) || absl::IsUnavailable(failure) ||
         absl::IsDeadlineExceeded(failure);
}

}  // namespace firstcall

#include "base/status.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace firstcall {

absl::Status FromLlvm(llvm::Error error, absl::StatusCode code, absl::string_view operation) {
  if (!error) return absl::OkStatus();
  return absl::Status(code, absl::StrCat(operation, ": ", llvm::toString(std::move(error))));
}

absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

}  // namespace firstcall

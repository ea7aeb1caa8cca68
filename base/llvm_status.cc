#include "base/llvm_status.h"

#include "absl/strings/str_cat.h"

namespace firstcall {

absl::Status FromLlvm(llvm::Error error, absl::StatusCode code, absl::string_view operation) {
  if (!error) return absl::OkStatus();
  return absl::Status(code, absl::StrCat(operation, ": ", llvm::toString(std::move(error))));
}

}  // namespace firstcall

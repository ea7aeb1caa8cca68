#include "splitter/function_verifier.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace firstcall {

absl::Status VerifyFunction(const llvm::Function& function, absl::string_view name) {
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (!llvm::verifyFunction(function, &stream)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "function '", name, "' is not valid IR: ", absl::StripTrailingAsciiWhitespace(reason)));
}

}  // namespace firstcall

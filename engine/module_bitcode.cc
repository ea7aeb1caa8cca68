#include "engine/module_bitcode.h"

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace firstcall {

absl::StatusOr<std::string> ToBitcode(const llvm::Module& module) {
  std::string reason, bitcode;
  bool is_broken = false;
  FIRSTCALL_RETURN_IF_ERROR(RunGuarded([&] {
    llvm::raw_string_ostream reasons(reason);
    is_broken = llvm::verifyModule(module, &reasons);
    if (is_broken) return;
    llvm::raw_string_ostream out(bitcode);
    llvm::WriteBitcodeToFile(module, out);
  }));
  if (!is_broken) return bitcode;
  return absl::InvalidArgumentError(
      absl::StrCat("'", module.getModuleIdentifier(),
                   "': module is not valid IR: ", absl::StripTrailingAsciiWhitespace(reason)));
}

}  // namespace firstcall

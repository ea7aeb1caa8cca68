#include "engine/signature.h"

#include <array>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "llvm-c/Core.h"

namespace firstcall {
namespace {

// To be raised when the code that is generated for the same input changes.
constexpr int kFormat = 1;

// Of the library that is running, not of its headers.
std::string LlvmVersion() {
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  return absl::StrCat(major, ".", minor, ".", patch);
}

}  // namespace

std::string SignatureOf(const SourceModule& module, const Target& target, IsReplaced is_replaced) {
  std::string signature =
      absl::StrCat("firstcall=", kFormat, " llvm=", LlvmVersion(),
                   " source=", absl::BytesToHexString(module.source().ContentDigest()), " ",
                   target.Describe(), " replaced=");
  for (uint32_t i = 0; i < module.index().size(); ++i) {
    const Symbol& symbol = module.index().at(SymbolOrdinal{i});
    if (symbol.is_definition && symbol.is_weak && is_replaced(SymbolOrdinal{i})) {
      absl::StrAppend(&signature, i, ",");
    }
  }
  return signature;
}

}  // namespace firstcall

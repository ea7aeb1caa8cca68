#include "engine/signature.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/build_id.h"
#include "llvm-c/Core.h"

namespace firstcall {
namespace {

// Increase this when the code that is generated for the same input changes.
constexpr int kFormat = 3;

// The version of the library that is running, not of its headers.
std::string LlvmVersion() {
  unsigned major = 0, minor = 0, patch = 0;
  LLVMGetVersion(&major, &minor, &patch);
  const void* address = reinterpret_cast<const void*>(&LLVMGetVersion);
  return absl::StrCat(major, ".", minor, ".", patch, "-", BuildIdOf(address));
}

// Quotes a text, so that it can be told from what surrounds it.
std::string Quoted(const std::string& text) {
  return absl::StrCat("'", absl::CHexEscape(text), "'");
}

}  // namespace

std::string SignatureOf(ModuleSource& source, const Target& target, const EngineOptions& options,
                        bool is_far) {
  const std::string own = BuildIdOf(reinterpret_cast<const void*>(&SignatureOf));
  std::string signature = absl::StrCat(
      "firstcall=", kFormat, "-", own, " llvm=", LlvmVersion(),
      " source=", absl::BytesToHexString(source.ContentDigest()), " ", target.Describe(),
      " mode=", options.mode == Mode::kEager ? "eager" : "lazy", is_far ? " far" : "",
      options.mode == Mode::kLazy && options.tier == Tier::kAuto
          ? (options.promotion.only_counts_calls() ? " counts" : " asks")
          : "");
  for (const auto& [name, value] : options.cache_key) {
    absl::StrAppend(&signature, " ", Quoted(name), "=", Quoted(value));
  }
  return signature;
}

}  // namespace firstcall

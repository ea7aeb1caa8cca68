#include "engine/signature.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/content_digest.h"
#include "engine/host_cpu.h"

namespace firstcall {
namespace {

// Increase this when the code that is generated for the same input changes.
constexpr int kFormat = 7;

// Quotes a text, so that it can be told from what surrounds it.
std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::CHexEscape(text), "'");
}

template <typename T>
int NumberOf(const std::optional<T>& choice) {
  return choice ? static_cast<int>(*choice) : -1;
}

// The name of this machine's CPU, and a digest of its features, which would be a kilobyte: each
// object in a cache has its signature in it.
const std::string& ShortHostCpu() {
  static const std::string* const host = [] {
    const std::string described = DescribeHostCpu();
    return new std::string(
        absl::StrCat(described.substr(0, described.find(' ')), "-",
                     absl::BytesToHexString(ContentDigest(described).substr(0, 16))));
  }();
  return *host;
}

// The settings that the compiler follows, without what only the compiler can read. Code of tier 1
// is generated at -O2 at least, and the baseline code generator makes none that is optimized.
std::string DescribeTarget(const EngineOptions& settings) {
  const bool optimizes_ir = settings.mode == Mode::kLazy && settings.tier == Tier::kOne;
  const CodegenLevel level =
      optimizes_ir ? std::max(settings.codegen_level, CodegenLevel::kO2) : settings.codegen_level;
  // An engine has been made for the settings, so that they do not contradict each other.
  const Baseline baseline = level == CodegenLevel::kO0
                                ? BaselineOf(settings).value_or(settings.baseline)
                                : Baseline::kOff;
  std::string text = absl::StrCat(
      "triple=", Quoted(settings.triple), " arch=", Quoted(settings.architecture),
      " cpu=", Quoted(settings.cpu), " features=", Quoted(settings.features),
      " relocation=", NumberOf(settings.relocation_model), " code=", NumberOf(settings.code_model),
      " level=", static_cast<int>(level), optimizes_ir ? " tier=1" : "",
      settings.backend == Backend::kMcjit ? " mcjit" : "", " baseline=", static_cast<int>(baseline),
      settings.baseline_has_few_registers ? ".few" : "",
      " optnone=", static_cast<int>(settings.optnone));
  for (const std::string& argument : settings.llvm_arguments) {
    absl::StrAppend(&text, " option=", Quoted(argument));
  }
  // Among the arguments there may be a CPU, too; then the host's only makes a cache less useful.
  if ((settings.cpu.empty() && settings.features.empty()) || settings.cpu == "native") {
    absl::StrAppend(&text, " host=", ShortHostCpu());
  }
  return text;
}

}  // namespace

std::string DigestOf(const FileContents& contents, ObjectCache& cache) {
  const std::optional<FileIdentity>& file = contents.identity();
  if (!file) return ContentDigest(contents.bytes());
  if (std::optional<std::string> known = cache.FindDigest(*file)) return *std::move(known);
  std::string digest = ContentDigest(contents.bytes());
  cache.RememberDigest(*file, digest);
  return digest;
}

std::string SignatureOf(absl::string_view digest, absl::string_view compiler,
                        const EngineOptions& options, bool is_far) {
  std::string signature = absl::StrCat(
      "firstcall=", kFormat, " ", compiler, " source=", absl::BytesToHexString(digest), " ",
      DescribeTarget(options), options.mode == Mode::kEager ? " mode=eager" : " mode=lazy",
      // Linked by another linker than LLVM's (DataOrder::without_ifuncs).
      options.mode == Mode::kEager && !options.compile_server.empty() ? " served" : "",
      is_far ? " far" : "",
      options.mode == Mode::kLazy && options.tier == Tier::kAuto
          ? (options.promotion.only_counts_calls() ? " counts" : " asks")
          : "");
  for (const auto& [name, value] : options.cache_key) {
    absl::StrAppend(&signature, " ", Quoted(name), "=", Quoted(value));
  }
  return signature;
}

}  // namespace firstcall

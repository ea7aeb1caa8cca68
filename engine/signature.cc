#include "engine/signature.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/content_digest.h"
#include "engine/host_cpu.h"
#include "seam/settings_table.h"

namespace firstcall {
namespace {

// Increase this when the code that is generated for the same input changes.
constexpr int kFormat = 10;

// Quotes a text, so that it can be told from what surrounds it.
std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::CHexEscape(text), "'");
}

// Appends a setting to `text`: overloads for what settings are.
template <typename Enum>
void Describe(const char* name, Enum value, std::string& text) {
  absl::StrAppend(&text, name, "=", static_cast<int>(value), " ");
}

template <typename Enum>
void Describe(const char* name, std::optional<Enum> value, std::string& text) {
  absl::StrAppend(&text, name, "=", value ? static_cast<int>(*value) : -1, " ");
}

void Describe(const char* name, const std::string& value, std::string& text) {
  absl::StrAppend(&text, name, "=", Quoted(value), " ");
}

void Describe(const char* name, const std::vector<std::string>& values, std::string& text) {
  for (const std::string& value : values) Describe(name, value, text);
}

// The compiler's own part of a signature has these.
void Describe(const char*, const std::shared_ptr<const llvm::TargetOptions>&, std::string&) {}

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
std::string DescribeTarget(const EngineOptions& options) {
  const bool optimizes_ir = options.mode == Mode::kLazy && options.tier == Tier::kOne;
  TargetSettings settings = options;
  if (optimizes_ir) settings.codegen_level = std::max(settings.codegen_level, CodegenLevel::kO2);
  // An engine has been made with these settings, so that they do not contradict each other.
  settings.baseline = BaselineOf(options).value_or(options.baseline);
  if (settings.codegen_level != CodegenLevel::kO0) settings.baseline = Baseline::kOff;
  if (settings.baseline == Baseline::kOff) settings.baseline_has_few_registers = false;
  if (settings.backend != Backend::kMcjit) settings.backend = Backend::kAuto;
  std::string text;
  ForEachSetting(settings,
                 [&](const char* name, const auto& value) { Describe(name, value, text); });
  absl::StrAppend(&text, optimizes_ir ? "tier=1" : "tier=0");
  // Among the arguments there may be a CPU, too; then the host's only makes a cache less useful.
  if ((options.cpu.empty() && options.features.empty()) || options.cpu == "native") {
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
      is_far ? " far" : "",
      options.mode == Mode::kLazy && options.tier == Tier::kAuto
          ? absl::StrCat(options.promotion.only_counts_calls() ? " counts" : " asks",
                         // Nothing is inferred of callees (CompilerSettings::handles_failures).
                         options.failure_handler != nullptr ? " handled" : "")
          : "");
  for (const auto& [name, value] : options.cache_key) {
    absl::StrAppend(&signature, " ", Quoted(name), "=", Quoted(value));
  }
  return signature;
}

}  // namespace firstcall

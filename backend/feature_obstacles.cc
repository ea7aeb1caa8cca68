#include "backend/feature_obstacles.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace firstcall {
namespace {

std::vector<std::string> ObstaclesOnX86_64() {
  return {"+soft-float",
          "+retpoline",
          "+retpoline-indirect-calls",
          "+retpoline-indirect-branches",
          "+retpoline-external-thunk",
          "+lvi-cfi",
          "+lvi-load-hardening",
          "+seses",
          "+harden-sls-ret",
          "+harden-sls-ijmp",
          "-sse2"};
}

std::vector<std::string> ObstaclesOnAArch64() {
  std::vector<std::string> features = {"+strict-align", "+harden-sls-retbr", "+harden-sls-blr",
                                       "-neon", "-fp-armv8"};
  for (int reg = 1; reg <= 28; ++reg) {
    // LLVM cannot reserve the others; x18 is not used.
    if (reg != 8 && (reg <= 15 || reg >= 20)) features.push_back(absl::StrCat("+reserve-x", reg));
  }
  return features;
}

using Names = absl::flat_hash_set<absl::string_view>;

// Never destroyed, because threads may compile while the process exits.
const Names& NamesOf(Machine machine) {
  const auto make_set = [](Machine of) {
    const std::vector<std::string>& names = FeatureObstacles(of);
    return new Names(names.begin(), names.end());
  };
  static const auto* const on_x86_64 = make_set(Machine::kX86_64);
  static const auto* const on_aarch64 = make_set(Machine::kAArch64);
  static const auto* const elsewhere = new Names;
  switch (machine) {
    case Machine::kX86_64:
      return *on_x86_64;
    case Machine::kAArch64:
      return *on_aarch64;
    case Machine::kOther:
      break;
  }
  return *elsewhere;
}

}  // namespace

const std::vector<std::string>& FeatureObstacles(Machine machine) {
  static const auto* const on_x86_64 = new std::vector<std::string>(ObstaclesOnX86_64());
  static const auto* const on_aarch64 = new std::vector<std::string>(ObstaclesOnAArch64());
  static const auto* const elsewhere = new std::vector<std::string>;
  switch (machine) {
    case Machine::kX86_64:
      return *on_x86_64;
    case Machine::kAArch64:
      return *on_aarch64;
    case Machine::kOther:
      break;
  }
  return *elsewhere;
}

bool HasFeatureObstacle(absl::string_view features, Machine machine) {
  if (features.empty()) return false;
  const Names& names = NamesOf(machine);
  for (absl::string_view feature : absl::StrSplit(features, ',')) {
    if (names.contains(feature)) return true;
  }
  return false;
}

}  // namespace firstcall

#include "tests/bitcode/alike_texts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

namespace firstcall::testing {
namespace {

bool DeclaresIntrinsic(absl::string_view line) {
  return absl::StartsWith(line, "@llvm.") || absl::StartsWith(line, "@\"llvm.");
}

bool HasOneOf(absl::string_view line, absl::Span<const absl::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [line](absl::string_view word) { return absl::StrContains(line, word); });
}

bool AreAlikeShuffles(absl::string_view expected, absl::string_view found) {
  const auto canonical = [](absl::string_view line) {
    return absl::StrReplaceAll(line, {{"undef", "poison"}});
  };
  return absl::StrContains(found, " shufflevector ") && canonical(expected) == canonical(found);
}

// Whether LLVM may have made another constant of one that `found` has.
bool MaySimplify(absl::string_view expected, absl::string_view found) {
  static constexpr absl::string_view kExpressions[] = {
      "trunc(",         "add(",           "sub(",      "mul(",
      "xor(",           "ptrtoint(",      "inttoptr(", "bitcast(",
      "addrspacecast(", "getelementptr(", " other",    "extractelement(",
      "insertelement(", "shufflevector("};
  static constexpr absl::string_view kSimple[] = {"data \"", "undef", "poison", " null"};
  return HasOneOf(found, kExpressions) ||
         (absl::StrContains(found, "{") && HasOneOf(expected, kSimple));
}

// Whether the lines differ only in attributes of parameters, one of which LLVM may have dropped: a
// pointer cannot be extended.
bool MayDropExtension(absl::string_view expected, absl::string_view found) {
  const auto beginning = [](absl::string_view line) {
    return line.substr(0, std::min(line.find(" result("), line.find(" parameter")));
  };
  return HasOneOf(found, {"signext", "zeroext"}) && beginning(expected) == beginning(found);
}

bool AreAlikeDamaged(absl::string_view expected, absl::string_view found) {
  if (MaySimplify(expected, found) || MayDropExtension(expected, found)) return true;
  if (absl::StrContains(found, "unknown") && !absl::StrContains(expected, "unknown")) return true;
  std::string alike(found);
  if (!absl::StrContains(expected, " debug")) alike = absl::StrReplaceAll(alike, {{" debug", ""}});
  static constexpr absl::string_view kAddressTaken = " address_taken";  // Ends a block's line.
  return absl::StripSuffix(expected, kAddressTaken) == absl::StripSuffix(alike, kAddressTaken);
}

bool AreAlikeLines(absl::string_view expected, absl::string_view found, BitcodeOrigin origin) {
  if (expected == found || AreAlikeShuffles(expected, found)) return true;
  if (origin == BitcodeOrigin::kThisVersion) return false;
  if (DeclaresIntrinsic(expected) && DeclaresIntrinsic(found)) return true;
  return origin == BitcodeOrigin::kDamaged && AreAlikeDamaged(expected, found);
}

}  // namespace

bool AreAlike(absl::string_view expected, absl::string_view found, BitcodeOrigin origin) {
  if (expected == found) return true;
  const std::vector<absl::string_view> lines = absl::StrSplit(expected, '\n');
  const std::vector<absl::string_view> found_lines = absl::StrSplit(found, '\n');
  return std::equal(lines.begin(), lines.end(), found_lines.begin(), found_lines.end(),
                    [origin](absl::string_view line, absl::string_view found_line) {
                      return AreAlikeLines(line, found_line, origin);
                    });
}

}  // namespace firstcall::testing

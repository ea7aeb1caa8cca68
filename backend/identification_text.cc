#include "backend/identification_text.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/content_digest.h"

namespace firstcall {

std::string IdentificationText(const Identification& identification) {
  constexpr size_t kDigestBytes = 16;
  if (identification.part.empty()) return identification.signature;
  const std::string digest = ContentDigest(identification.signature).substr(0, kDigestBytes);
  return absl::StrCat("firstcall ", identification.part, " signature ",
                      absl::BytesToHexString(digest));
}

}  // namespace firstcall

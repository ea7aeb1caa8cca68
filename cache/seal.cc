#include "cache/seal.h"

#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "cache/hmac.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"

namespace firstcall {
namespace {

llvm::StringRef ToLlvm(absl::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::string Seal::TagOf(absl::string_view signature, absl::string_view place,
                        absl::string_view bytes) const {
  Encoder where;
  where.String(signature);
  where.String(place);
  llvm::BLAKE3 hash;
  hash.update(ToLlvm(where.bytes()));
  hash.update(ToLlvm(bytes));
  const llvm::BLAKE3Result<kTagSize> result = hash.final<kTagSize>();
  const std::string digest(reinterpret_cast<const char*>(result.data()), result.size());
  return has_key() ? HmacSha256(key_, digest) : digest;
}

std::string Seal::Close(absl::string_view signature, absl::string_view place,
                        absl::string_view bytes) const {
  return absl::StrCat(TagOf(signature, place, bytes), bytes);
}

std::optional<absl::string_view> Seal::Open(absl::string_view signature, absl::string_view place,
                                            absl::string_view sealed) const {
  if (sealed.size() < kTagSize) return std::nullopt;
  const absl::string_view bytes = sealed.substr(kTagSize);
  if (!IsEqualInConstantTime(sealed.substr(0, kTagSize), TagOf(signature, place, bytes))) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace firstcall

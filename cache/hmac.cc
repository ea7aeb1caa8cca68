#include "cache/hmac.h"

#include <array>
#include <cstdint>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SHA256.h"

namespace firstcall {
namespace {

constexpr size_t kBlockSize = 64;

llvm::StringRef ToLlvm(absl::string_view text) { return {text.data(), text.size()}; }

std::string Hash(absl::string_view first, absl::string_view second) {
  llvm::SHA256 hash;
  hash.update(ToLlvm(first));
  hash.update(ToLlvm(second));
  const std::array<uint8_t, 32> digest = hash.final();
  return std::string(reinterpret_cast<const char*>(digest.data()), digest.size());
}

std::string PaddedWith(char pad, std::string block) {
  for (char& byte : block) byte = static_cast<char>(byte ^ pad);
  return block;
}

}  // namespace

std::string HmacSha256(absl::string_view key, absl::string_view message) {
  std::string block = key.size() > kBlockSize ? Hash(key, "") : std::string(key);
  block.resize(kBlockSize, '\0');
  return Hash(PaddedWith(0x5c, block), Hash(PaddedWith(0x36, block), message));
}

bool IsEqualInConstantTime(absl::string_view a, absl::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<uint8_t>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace firstcall

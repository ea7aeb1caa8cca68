#include "base/content_digest.h"

#include <cstdint>

#include "llvm/Support/BLAKE3.h"

namespace firstcall {

std::string ContentDigest(absl::string_view bytes) {
  const auto digest = llvm::BLAKE3::hash<32>(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  return std::string(reinterpret_cast<const char*>(digest.data()), digest.size());
}

}  // namespace firstcall

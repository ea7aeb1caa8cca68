#include "engine/module_cache.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/BLAKE3.h"

namespace firstcall {

std::string ModuleCache::IdentificationOf(ModulePart part) const {
  const auto digest = llvm::BLAKE3::hash<16>(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(signature_.data()), signature_.size()));
  return absl::StrCat("firstcall ", part.ToString(), " signature ",
                      absl::BytesToHexString(absl::string_view(
                          reinterpret_cast<const char*>(digest.data()), digest.size())));
}

}  // namespace firstcall

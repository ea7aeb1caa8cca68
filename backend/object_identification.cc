#include "backend/object_identification.h"

#include <cstdint>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/BLAKE3.h"

namespace firstcall {

std::string IdentificationText(const Identification& identification) {
  const std::string& signature = identification.signature;
  if (identification.part.empty()) return signature;
  const auto digest = llvm::BLAKE3::hash<16>(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(signature.data()), signature.size()));
  return absl::StrCat("firstcall ", identification.part, " signature ",
                      absl::BytesToHexString(absl::string_view(
                          reinterpret_cast<const char*>(digest.data()), digest.size())));
}

void AddIdentification(llvm::Module& module, const Identification& identification) {
  llvm::LLVMContext& context = module.getContext();
  module.getOrInsertNamedMetadata("llvm.ident")
      ->addOperand(llvm::MDNode::get(
          context, llvm::MDString::get(context, IdentificationText(identification))));
}

}  // namespace firstcall

#include "services/server/client_modules.h"

#include <algorithm>

#include "services/server/object_pack.h"

namespace firstcall {

void ClientModules::Add(absl::string_view digest) {
  if (published_.size() < kMost) published_.emplace(digest, std::vector<std::string>());
}

bool ClientModules::Has(absl::string_view signature) const {
  return published_.find(SourceDigestOf(signature)) != published_.end();
}

bool ClientModules::Publish(absl::string_view signature) {
  const auto found = published_.find(SourceDigestOf(signature));
  if (found == published_.end()) return false;
  std::vector<std::string>& signatures = found->second;
  if (std::find(signatures.begin(), signatures.end(), signature) != signatures.end()) return true;
  if (signatures.size() >= kSignaturesOfAModule) return false;
  signatures.emplace_back(signature);
  return true;
}

}  // namespace firstcall

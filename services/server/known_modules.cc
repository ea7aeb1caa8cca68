#include "services/server/known_modules.h"

#include <algorithm>
#include <utility>

namespace firstcall {

const KnownModules::Pack* KnownModules::Find(absl::string_view key) {
  const auto found = packs_.find(key);
  if (found == packs_.end()) return nullptr;
  found->second.last_use = ++next_use_;
  return &found->second.pack;
}

uint64_t KnownModules::Keep(absl::string_view key, File file, uint64_t size) {
  Entry& entry = packs_[std::string(key)];
  bytes_ += size - entry.pack.size;
  const uint64_t number = next_number_++;
  entry = {{std::move(file), size, number}, ++next_use_};
  while (bytes_ > most_bytes_ || packs_.size() > most_packs_) {
    const auto oldest = std::min_element(
        packs_.begin(), packs_.end(),
        [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; });
    bytes_ -= oldest->second.pack.size;
    packs_.erase(oldest);
  }
  return number;
}

void KnownModules::Clear() {
  packs_.clear();
  bytes_ = 0;
}

}  // namespace firstcall

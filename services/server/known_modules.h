// The packs of objects (services/server/object_pack) that a compile server keeps for later clients.
// If the packs become too large or too many, the least recently used ones are dropped.
//
// Thread-compatible. Tested in tests/services/server/known_modules_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_KNOWN_MODULES_H_
#define FIRSTCALL_SERVICES_SERVER_KNOWN_MODULES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "base/file.h"

namespace firstcall {

class KnownModules {
 public:
  struct Pack {
    File file;          // Sealed.
    uint64_t size = 0;  // Of the sealed bytes.
    // Different for each pack that is kept, and never zero.
    uint64_t number = 0;
  };

  KnownModules(uint64_t most_bytes, size_t most_packs)
      : most_bytes_(most_bytes), most_packs_(most_packs) {}

  // The pack of a key (services/server/object_pack); null if there is none. The pointer is valid
  // until the next Keep or Clear.
  const Pack* Find(absl::string_view key);
  bool Has(absl::string_view key) const { return packs_.find(key) != packs_.end(); }

  // Whether a pack of `size` bytes would be kept. A pack may take half of the bytes at most, so
  // that there is room for others.
  bool HasRoomFor(uint64_t size) const { return size <= most_bytes_ / 2; }
  // Keeps a pack, in place of the key's earlier pack if there is one. Takes over `file`. Returns
  // the new pack's number.
  uint64_t Keep(absl::string_view key, File file, uint64_t size);

  // Closes all files.
  void Clear();

  size_t count() const { return packs_.size(); }
  uint64_t bytes() const { return bytes_; }

 private:
  struct Entry {
    Pack pack;
    uint64_t last_use = 0;
  };

  const uint64_t most_bytes_;
  const size_t most_packs_;
  std::map<std::string, Entry, std::less<>> packs_;  // By key.
  uint64_t bytes_ = 0;
  uint64_t next_use_ = 0;
  uint64_t next_number_ = 1;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_KNOWN_MODULES_H_

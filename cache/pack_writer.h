// Writes a pack into a new file.
//
// Thread-compatible. Tested in tests/cache/pack_test.cc.

#ifndef FIRSTCALL_CACHE_PACK_WRITER_H_
#define FIRSTCALL_CACHE_PACK_WRITER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cache/object_cache.h"
#include "cache/pack.h"

namespace firstcall {

class PackWriter {
 public:
  // Writes to `file`, an open descriptor of an empty file, which the writer does not own. At most
  // `most_entries` entries will be added.
  PackWriter(int file, std::string label, std::string signature, size_t most_entries);

  // Adds an entry after the earlier ones. Its bytes are written, without a copy, by this call or a
  // later one, and must stay where they are until Finish. Unavailable, with the system's reason, if
  // writing fails.
  absl::Status Add(ModulePart part, absl::string_view bytes, uint32_t age = 0);

  // The same, but the bytes are given over.
  absl::Status Take(ModulePart part, ObjectCache::Bytes bytes, uint32_t age = 0);

  // Writes the remaining bytes, and the head last.
  absl::Status Finish();

 private:
  absl::Status WriteWaiting();

  const int file_;
  const std::string label_;
  const std::string signature_;
  uint64_t written_;                        // The offset in the file where waiting_ belongs.
  std::vector<absl::string_view> waiting_;  // The bytes of the last entries.
  uint64_t waiting_size_ = 0;
  std::deque<ObjectCache::Bytes> taken_;  // Those of waiting_ that were given over.
  std::vector<Pack::Entry> entries_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_PACK_WRITER_H_

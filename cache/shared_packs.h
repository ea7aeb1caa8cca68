// The files in which a server keeps the entries of a signature. docs/cache.md describes them, and
// where Redis has them, for those who run servers.
//
//   ac/NAME     the list: names the packs that are current. The only file that is ever replaced.
//               NAME is made from the signature.
//   cas/DIGEST  a pack: entries, one behind the other. DIGEST is the SHA-256 of its bytes, so what
//               has this name never changes.
//
// The first pack of a list, the start pack, has what a start needs, and begins with the table of
// all entries. The second, if there is one, has the rest: the functions one by one, whose code is
// in the start object, too (ModulePart::Kind::kStart), unless they are few, and what does not fit
// into the first. Functions that cannot be in a start object get into the first pack when a start
// has asked for them.
//
// Nothing that a server has sent is trusted: the list and the table have tags (cache/seal.h), and
// each entry is sealed by itself.
//
// Thread-safe: plain values and pure functions.

#ifndef FIRSTCALL_CACHE_SHARED_PACKS_H_
#define FIRSTCALL_CACHE_SHARED_PACKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cache/entry_server.h"
#include "cache/object_cache.h"
#include "cache/seal.h"

namespace firstcall {

// "cas/DIGEST" of a pack with these bytes.
std::string PackPath(absl::string_view bytes);

// "ac/NAME" of the list of `signature`.
std::string ListPath(absl::string_view signature);

// The packs that a list names: one or two.
struct PackList {
  struct Pack {
    std::string path;  // See PackPath.
    uint64_t size = 0;
  };

  std::vector<Pack> packs;

  // DataLoss, with the reason, if `text` is not the list of `signature`.
  static absl::StatusOr<PackList> Decode(const Seal& seal, absl::string_view signature,
                                         absl::string_view text);
  std::string Encode(const Seal& seal, absl::string_view signature) const;
};

// The most bytes that a list has.
inline constexpr size_t kMostListBytes = 4096;

// Where the entries of a signature are.
struct PackTable {
  struct Entry {
    ModulePart part;
    // For parts that age: how many times the packs were written since a writer used the entry.
    uint32_t age = 0;
    uint32_t pack = 0;          // 0: the start pack, 1: the rest.
    bool is_for_start = false;  // See EntryServer::NewEntry.
    uint64_t offset = 0;
    uint32_t size = 0;

    // The entry's sealed bytes in those of its pack.
    absl::string_view In(absl::string_view pack_bytes) const {
      return pack_bytes.substr(offset, size);
    }
  };

  std::vector<Entry> entries;  // Sorted by part.

  // Reads the beginning of a start pack. DataLoss, with the reason, if `start` is not the start
  // pack of `signature`, or names bytes that the packs of `list` do not have.
  static absl::StatusOr<PackTable> Decode(const Seal& seal, absl::string_view signature,
                                          const PackList& list, absl::string_view start);
};

// The packs of a signature, while entries are added.
struct PackContents {
  PackList list;
  PackTable table;
  std::string start;                // The bytes of the first pack.
  std::optional<std::string> rest;  // Those of the second pack, if they are known.
};

struct PackLimits {
  size_t most_start_bytes = size_t{8} << 20;  // What a start is worth waiting for.
  size_t most_pack_bytes = size_t{64} << 20;
  // With so few bytes, all functions are in the start pack: a further request would take longer.
  size_t most_few_bytes = size_t{128} << 10;
  // After so many writes without a use, an entry that ages is dropped. Each of many machines may
  // write, so this is more than DiskCache::kMostUnusedRuns.
  uint32_t most_unused_writes = 64;
};

// Returns `old` with the entries of `added`, which replace those of the same part. `used` are parts
// that have been used, and so do not age. Entries that fit into no pack are left out. If the second
// pack need not change, `rest` is nullopt; otherwise it must be written, too.
//
// FailedPrecondition if the bytes of the old second pack are needed, and `old` does not have them.
absl::StatusOr<PackContents> Merge(const Seal& seal, absl::string_view signature,
                                   const PackContents& old,
                                   const std::vector<EntryServer::NewEntry>& added,
                                   const absl::flat_hash_set<ModulePart>& used,
                                   const PackLimits& limits);

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_SHARED_PACKS_H_

// The entries of a server that keeps them in packs (cache/shared_packs.h): fetches a start pack as
// a whole and the second pack when one of its entries is needed, and adds entries by new packs and
// a new list.
//
// If another process replaces the list meanwhile, the entries are merged again, some times, and
// then left out: the next process that misses them sends them.
//
// Thread-compatible. Tested in tests/cache/shared_cache_test.cc.

#ifndef FIRSTCALL_CACHE_PACK_ENTRIES_H_
#define FIRSTCALL_CACHE_PACK_ENTRIES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "cache/entry_server.h"
#include "cache/pack_server.h"
#include "cache/seal.h"
#include "cache/shared_packs.h"

namespace firstcall {

class PackEntries final : public EntryServer {
 public:
  // `key` is that of the seals. Larger packs than `most_pack_bytes` are neither sent nor used.
  PackEntries(std::unique_ptr<PackServer> server, std::string key, size_t most_pack_bytes);

  std::string ToString() const override;
  // Two round trips at most: one for the lists, and one for the start packs that did not come with
  // them.
  std::vector<absl::StatusOr<Contents>> FetchAll(absl::Span<const std::string> signatures,
                                                 absl::Duration timeout) override;
  absl::StatusOr<Entries> FetchOne(absl::string_view signature, ModulePart part,
                                   absl::Duration timeout) override;
  absl::Status Send(absl::string_view signature, std::vector<NewEntry> entries,
                    const absl::flat_hash_set<ModulePart>& used, absl::Duration timeout) override;

 private:
  // What the server has of a signature at one moment.
  struct Current {
    bool has_list = false;
    std::string version;  // Of the list.
    PackContents packs;   // No entries if the start pack is missing.
  };
  // What FetchOne must know.
  struct Remembered {
    PackList list;
    absl::flat_hash_map<ModulePart, PackTable::Entry> others;
  };

  absl::Duration Left() const;
  absl::Status CheckSize(const PackList::Pack& pack) const;
  absl::StatusOr<std::optional<std::string>> FetchPack(absl::string_view signature,
                                                       const PackList::Pack& pack);
  // In the order of `signatures`.
  std::vector<absl::StatusOr<Current>> FetchCurrent(absl::Span<const std::string> signatures);
  // Takes the list that the server has for a signature, and the start pack if the server has sent
  // it; otherwise `wants_start` becomes true.
  absl::StatusOr<Current> TakeList(absl::string_view signature,
                                   absl::StatusOr<std::optional<PackServer::Found>> found,
                                   bool& wants_start) const;
  absl::Status TakeStart(absl::string_view signature, std::string start, Current& current) const;
  // Aborted if another process has replaced the list meanwhile.
  absl::Status MergeOnce(absl::string_view signature, const std::vector<NewEntry>& entries,
                         const absl::flat_hash_set<ModulePart>& used);

  const std::unique_ptr<PackServer> server_;
  const size_t most_pack_bytes_;
  const Seal seal_;
  absl::Duration deadline_;  // Of the call that runs, as SteadyNow.
  absl::flat_hash_map<std::string, Remembered> remembered_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_PACK_ENTRIES_H_

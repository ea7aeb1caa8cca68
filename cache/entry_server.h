// What a SharedCache needs of a server: all that the server has for one signature, a single entry
// of it, and a way to add entries. An implementation knows a protocol and how names are laid out;
// it leaves tags and budgets to SharedCache.
//
// Entries are sealed (cache/seal.h). Each call may block for up to `timeout`, and makes one
// attempt. Errors:
//   DataLoss          what the server has for this signature cannot be used; others may be usable
//   PermissionDenied  of Send: the server does not accept entries
//   any other         the server cannot be used
//
// Calls are never made at the same time.

#ifndef FIRSTCALL_CACHE_ENTRY_SERVER_H_
#define FIRSTCALL_CACHE_ENTRY_SERVER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "cache/object_cache.h"

namespace firstcall {

class EntryServer {
 public:
  using Entries = absl::flat_hash_map<ModulePart, std::string>;  // Sealed.

  struct Contents {
    Entries entries;
    absl::flat_hash_set<ModulePart> others;  // What the server has besides.
  };

  struct NewEntry {
    ModulePart part;
    std::string sealed;
    bool is_for_start = false;  // A start had to ask for the entry alone.
  };

  virtual ~EntryServer() = default;

  // The server's URL, without a password, for messages. Thread-safe.
  virtual std::string ToString() const = 0;

  // Called once for each signature. Returns what the server has for each, or the error, in the
  // order of `signatures`. What a start needs is among the entries. Several signatures take no more
  // round trips than one.
  virtual std::vector<absl::StatusOr<Contents>> FetchAll(absl::Span<const std::string> signatures,
                                                         absl::Duration timeout) = 0;

  // Called after FetchAll, for one of the others. Returns that entry, unless the server does not
  // have it any more, and any that came with it.
  virtual absl::StatusOr<Entries> FetchOne(absl::string_view signature, ModulePart part,
                                           absl::Duration timeout) = 0;

  // Adds entries, or replaces those of the same part. `used` are the parts that age and that this
  // process has used.
  virtual absl::Status Send(absl::string_view signature, std::vector<NewEntry> entries,
                            const absl::flat_hash_set<ModulePart>& used,
                            absl::Duration timeout) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_ENTRY_SERVER_H_

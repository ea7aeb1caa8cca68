// What PackEntries needs of a server: a place for the list and the packs of each signature
// (cache/shared_packs.h). An implementation knows a protocol, and where these files are; it does
// not read them.
//
// Each call may block for up to `timeout`. Errors:
//   DataLoss          what the server has for this signature cannot be used; others may be usable
//   PermissionDenied  of Replace: the server does not accept files
//   Aborted           of Replace: the old list is no longer there
//   any other         the server cannot be used
//
// Calls are never made at the same time.

#ifndef FIRSTCALL_CACHE_PACK_SERVER_H_
#define FIRSTCALL_CACHE_PACK_SERVER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "cache/shared_packs.h"

namespace firstcall {

class PackServer {
 public:
  struct Found {
    std::string list;                  // At most kMostListBytes.
    std::string version;               // Of the list, for Replace. Empty: it is not known.
    std::optional<std::string> start;  // The start pack, if the server sends it with the list.
  };

  // A pack that a list names.
  struct Listed {
    std::string signature;
    PackList::Pack pack;
  };

  struct Pack {
    std::string path;  // See PackPath.
    std::string bytes;
  };

  struct Replacement {
    std::string list;
    Pack start;
    std::optional<Pack> rest;  // Of the second pack, if it is a new one.
    PackList packs;            // What `list` says.
    PackList old_packs;        // What the old list says; empty if it is not known.
    // The condition: there is no list yet, or its version is this one. If neither is given, any
    // list is replaced.
    bool must_be_new = false;
    std::string version;
  };

  virtual ~PackServer() = default;

  // The server's URL, without a password, for messages. Thread-safe.
  virtual std::string ToString() const = 0;

  // For each signature, in their order: nullopt if there is no list. The server is asked for all
  // lists at once.
  virtual std::vector<absl::StatusOr<std::optional<Found>>> FetchLists(
      absl::Span<const std::string> signatures, absl::Duration timeout) = 0;

  // For each pack, in their order: its bytes, or nullopt if the server does not have it (any more).
  // DataLoss if there are more bytes than the pack's size; there may be fewer. The server is asked
  // for all packs at once.
  virtual std::vector<absl::StatusOr<std::optional<std::string>>> FetchPacks(
      absl::Span<const Listed> packs, absl::Duration timeout) = 0;

  // As FetchPacks for one pack, but for `size` bytes at `offset`; `size` is not zero. May return
  // all of the pack instead.
  virtual absl::StatusOr<std::optional<std::string>> FetchRange(const Listed& listed,
                                                                uint64_t offset, uint64_t size,
                                                                absl::Duration timeout) = 0;

  // Stores the new packs, and then the list. Others never see a list without its packs.
  virtual absl::Status Replace(absl::string_view signature, Replacement replacement,
                               absl::Duration timeout) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_PACK_SERVER_H_

// A pack: the file in which the disk cache keeps all objects of one signature (one source module,
// one set of options), in the order in which they were first needed. A pack never changes once it
// has its name: it is replaced by a new one. See docs/adr/0014-packs-of-objects.md.
//
//   header     magic and format, sizes, a checksum of header, label, signature and table
//   label      the source module's name when the pack was written
//   signature  compared, byte by byte, with the requested one
//   table      for each entry: its part, age, offset, size and checksum; sorted by part
//   entries    in the order in which they were first needed
//
// Immutable after Open, therefore thread-safe.

#ifndef FIRSTCALL_CACHE_PACK_H_
#define FIRSTCALL_CACHE_PACK_H_

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/kept_file.h"
#include "cache/object_cache.h"

namespace firstcall {

// The beginning and end of a pack's name. cache/pruning.h looks for the prefix.
inline constexpr absl::string_view kPackPrefix = "llvmcache-";
inline constexpr absl::string_view kPackSuffix = ".pack";

class Pack {
 public:
  struct Entry {
    ModulePart part;
    // For parts that age: how many runs have ended by writing the pack since the last run that used
    // the entry.
    uint32_t age = 0;
    uint64_t offset = 0;  // In the file.
    uint32_t size = 0;
    uint64_t checksum = 0;  // XXH3 of its bytes.
  };

  // Opens the pack at `path`, relative to the directory `directory` (an open file descriptor, or
  // AT_FDCWD). Reads everything but the entries, in one or two reads, and notes once a day that the
  // file is used (cache/pruning.h). NotFound if there is no such file; PermissionDenied if it
  // cannot be opened or another user may have written it; DataLoss, with the reason, if it is
  // damaged or not a pack.
  static absl::StatusOr<std::unique_ptr<Pack>> Open(int directory, const std::string& path);

  Pack(const Pack&) = delete;
  Pack& operator=(const Pack&) = delete;

  absl::string_view label() const { return label_; }
  absl::string_view signature() const { return signature_; }

  // Sorted by part.
  absl::Span<const Entry> entries() const { return entries_; }

  // The entries in the order of the file.
  std::vector<Entry> EntriesInOrder() const;

  // Null if the pack has no entry for `part`.
  const Entry* Find(ModulePart part) const;

  // A copy of an entry's bytes. DataLoss if they do not match the checksum; Unavailable if the
  // program has closed the file.
  absl::StatusOr<ObjectCache::Bytes> Read(const Entry& entry) const;

  uint64_t file_size() const { return file_size_; }

  // Whether `status` is that of the file that was opened.
  bool IsFile(const struct stat& status) const {
    return status.st_dev == device_ && status.st_ino == inode_;
  }

 private:
  explicit Pack(File file) : file_(std::move(file)) {}
  absl::Status ReadHead();

  const KeptFile file_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  uint64_t file_size_ = 0;
  std::string label_;
  std::string signature_;
  std::vector<Entry> entries_;
};

// The size of the head of a pack of `count` entries.
size_t PackHeadSize(absl::string_view label, absl::string_view signature, size_t count);

// The bytes of the head of a pack whose file has `file_size` bytes. Sorts the entries.
std::string EncodePackHead(absl::string_view label, absl::string_view signature, uint64_t file_size,
                           std::vector<Pack::Entry>& entries);

// XXH3.
uint64_t ChecksumOf(absl::string_view bytes);

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_PACK_H_

#include "cache/digest_table.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/cleanup/cleanup.h"
#include "absl/time/clock.h"
#include "base/coding.h"
#include "base/file_io.h"
#include "cache/pack.h"
#include "cache/trust.h"

namespace firstcall {
namespace {

// A cache has one pack for each program, so this is enough for most.
constexpr uint64_t kPlaces = 4096;
constexpr size_t kDigestSize = 32;
// The identity, the digest, the checksum of both.
constexpr size_t kPlaceSize = 5 * 8 + kDigestSize + 8;

std::string Encode(const FileIdentity& file, absl::string_view digest) {
  Encoder encoder;
  encoder.U64(file.device);
  encoder.U64(file.inode);
  encoder.U64(file.size);
  encoder.U64(static_cast<uint64_t>(file.modified));
  encoder.U64(static_cast<uint64_t>(file.changed));
  encoder.Raw(digest);
  encoder.U64(ChecksumOf(encoder.bytes()));
  return std::move(encoder).Take();
}

// A new version of a file, which is a new file or the same with other contents, should overwrite
// the old one's digest, but files that are made one after the other should not overwrite each
// other's: they have successive numbers.
uint64_t OffsetOf(const FileIdentity& file) {
  return (file.device * 31 + file.inode) % kPlaces * kPlaceSize;
}

bool IsTrusted(int file) {
  struct stat status = {};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && ReasonForDistrust(status).empty();
}

}  // namespace

std::optional<std::string> FindDigest(int directory, const FileIdentity& file) {
  const int table =
      openat(directory, kDigestTableName, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (table < 0) return std::nullopt;
  const absl::Cleanup close_table = [table] { close(table); };
  std::string place(kPlaceSize, '\0');
  if (!IsTrusted(table) || !ReadAt(table, OffsetOf(file), place.data(), place.size()).ok()) {
    return std::nullopt;
  }
  std::string digest = place.substr(5 * 8, kDigestSize);
  if (place != Encode(file, digest)) return std::nullopt;
  return digest;
}

void RememberDigest(int directory, const FileIdentity& file, absl::string_view digest) {
  if (digest.size() != kDigestSize || !file.IsSettled(absl::GetCurrentTimeNanos())) return;
  const int table =
      openat(directory, kDigestTableName, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
             S_IRUSR | S_IWUSR);
  if (table < 0) return;
  const absl::Cleanup close_table = [table] { close(table); };
  if (IsTrusted(table)) (void)WriteAt(table, OffsetOf(file), Encode(file, digest));
}

}  // namespace firstcall

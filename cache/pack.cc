// A pack is read, not mapped: if another process truncated a mapped file, this process would get
// SIGBUS, and objects that are linked are changed in memory anyway. Nothing in a pack is trusted
// before its checksum has been verified, so sizes are first compared with the size of the file.

#include "cache/pack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/coding.h"
#include "base/file_io.h"
#include "base/populate.h"
#include "base/status.h"
#include "cache/trust.h"
#include "llvm/Support/xxhash.h"

namespace firstcall {
namespace {

constexpr absl::string_view kMagic = "FCPACK2\n";
constexpr size_t kHeaderSize = 48;
constexpr size_t kTableEntrySize = 40;
constexpr size_t kChecksumOffset = kHeaderSize - 8;

// The head of most packs fits into this, and a larger first read costs less than a second read.
constexpr size_t kFirstRead = 32 << 10;

constexpr absl::Duration kAccessIsNotedEvery = absl::Hours(24);

// Pruning goes by the time of the last access, which many file systems do not note.
void NoteUse(int file, const struct stat& status) {
  if (absl::Now() - absl::TimeFromTimespec(status.st_atim) < kAccessIsNotedEvery) return;
  const struct timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  (void)futimens(file, times);
}

absl::Status Damaged(absl::string_view what) { return absl::DataLossError(what); }

}  // namespace

uint64_t ChecksumOf(absl::string_view bytes) {
  return llvm::xxh3_64bits(llvm::StringRef(bytes.data(), bytes.size()));
}

size_t PackHeadSize(absl::string_view label, absl::string_view signature, size_t count) {
  return kHeaderSize + label.size() + signature.size() + count * kTableEntrySize;
}

std::string EncodePackHead(absl::string_view label, absl::string_view signature, uint64_t file_size,
                           std::vector<Pack::Entry>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Pack::Entry& a, const Pack::Entry& b) { return a.part < b.part; });
  Encoder encoder;
  encoder.Raw(kMagic);
  encoder.U64(file_size);
  encoder.U32(static_cast<uint32_t>(label.size()));
  encoder.U32(static_cast<uint32_t>(signature.size()));
  encoder.U64(entries.size());
  encoder.U64(0);  // Reserved.
  encoder.U64(0);  // The place of the checksum, which counts as zero in the checksum itself.
  encoder.Raw(label);
  encoder.Raw(signature);
  for (const Pack::Entry& entry : entries) {
    encoder.U32(static_cast<uint32_t>(entry.part.kind));
    encoder.U32(entry.part.ordinal.value);
    encoder.U32(entry.part.loop);
    encoder.U32(entry.age);
    encoder.U64(entry.offset);
    encoder.U32(entry.size);
    encoder.U32(0);  // Reserved.
    encoder.U64(entry.checksum);
  }
  std::string head = std::move(encoder).Take();
  Encoder checksum;
  checksum.U64(ChecksumOf(head));
  head.replace(kChecksumOffset, 8, checksum.bytes());
  return head;
}

absl::StatusOr<std::unique_ptr<Pack>> Pack::Open(int directory, const std::string& path) {
  File file(openat(directory, path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open()) {
    const std::string reason = std::strerror(errno);
    return errno == ENOENT ? absl::NotFoundError(reason) : absl::PermissionDeniedError(reason);
  }
  std::unique_ptr<Pack> pack(new Pack(std::move(file)));
  FIRSTCALL_RETURN_IF_ERROR(pack->ReadHead());
  return pack;
}

absl::Status Pack::ReadHead() {
  const int file = file_.number();
  struct stat status = {};
  if (fstat(file, &status) != 0) return Damaged(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return Damaged("it is not a file");
  if (std::string reason = ReasonForDistrust(status); !reason.empty()) {
    return absl::PermissionDeniedError(reason);
  }
  NoteUse(file, status);
  device_ = status.st_dev;
  inode_ = status.st_ino;
  file_size_ = static_cast<uint64_t>(status.st_size);
  std::string head(std::min<uint64_t>(file_size_, kFirstRead), '\0');
  FIRSTCALL_RETURN_IF_ERROR(ReadAt(file, 0, head.data(), head.size()));
  Decoder header(head);
  if (header.Raw(kMagic.size()) != kMagic) {
    return Damaged("it was not written by this version of firstcall");
  }
  const uint64_t file_size = header.U64();
  const uint64_t label_size = header.U32();
  const uint64_t signature_size = header.U32();
  const uint64_t count = header.U64();
  const uint64_t reserved = header.U64();
  const uint64_t checksum = header.U64();
  if (!header.ok() || file_size != file_size_ || reserved != 0) return Damaged("it is damaged");
  if (count > file_size / kTableEntrySize) return Damaged("it is damaged");
  const uint64_t head_size = kHeaderSize + label_size + signature_size + count * kTableEntrySize;
  if (head_size > file_size) return Damaged("it is damaged");
  const size_t known = head.size();
  head.resize(head_size);
  if (head_size > known) {
    FIRSTCALL_RETURN_IF_ERROR(ReadAt(file, known, head.data() + known, head_size - known));
  }
  std::memset(head.data() + kChecksumOffset, 0, 8);
  if (ChecksumOf(head) != checksum) return Damaged("it is damaged");
  Decoder decoder(head);
  decoder.Raw(kHeaderSize);
  label_ = std::string(decoder.Raw(label_size));
  signature_ = std::string(decoder.Raw(signature_size));
  entries_.resize(count);
  for (Entry& entry : entries_) {
    entry.part.kind = static_cast<ModulePart::Kind>(decoder.U32());
    entry.part.ordinal.value = decoder.U32();
    entry.part.loop = decoder.U32();
    entry.age = decoder.U32();
    entry.offset = decoder.U64();
    entry.size = decoder.U32();
    decoder.U32();
    entry.checksum = decoder.U64();
    if (entry.offset > file_size || entry.size > file_size - entry.offset) {
      return Damaged("it is damaged");
    }
  }
  return absl::OkStatus();
}

std::vector<Pack::Entry> Pack::EntriesInOrder() const {
  std::vector<Entry> ordered = entries_;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
  return ordered;
}

const Pack::Entry* Pack::Find(ModulePart part) const {
  auto found = std::lower_bound(entries_.begin(), entries_.end(), part,
                                [](const Entry& a, ModulePart b) { return a.part < b; });
  return found == entries_.end() || !(found->part == part) ? nullptr : &*found;
}

absl::StatusOr<ObjectCache::Bytes> Pack::Read(const Entry& entry) const {
  const int file = file_.number();
  if (file < 0) return absl::UnavailableError("the program has closed it");
  ObjectCache::Bytes bytes = ObjectCache::Bytes::Uninitialized(entry.size);
  PopulateForWriting(bytes.data(), entry.size);
  FIRSTCALL_RETURN_IF_ERROR(ReadAt(file, entry.offset, bytes.data(), bytes.size()));
  if (ChecksumOf(bytes) != entry.checksum) {
    return Damaged(absl::StrCat("its ", entry.part.ToString(), " is damaged"));
  }
  return bytes;
}

}  // namespace firstcall

#include "base/file_contents.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/absolute_path.h"
#include "base/content_digest.h"
#include "base/file.h"
#include "base/populate.h"
#include "base/round_up.h"

namespace firstcall {
namespace {

// Below this size, reading a file is cheaper than mapping it.
constexpr off_t kMinMappedSize = 16 * 1024;

absl::Status CannotRead(const std::string& path, int error) {
  return absl::NotFoundError(absl::StrCat("cannot read '", path, "': ", std::strerror(error)));
}

absl::Status HasChanged(const std::string& path) {
  return absl::FailedPreconditionError(
      absl::StrCat("'", path, "' has been written to since it was added"));
}

// Whether a file could not be opened although it may be there.
bool IsOutOfMeans(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM; }

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileIdentity IdentityOf(const struct stat& status) {
  FileIdentity identity;
  identity.device = status.st_dev;
  identity.inode = status.st_ino;
  identity.size = static_cast<uint64_t>(status.st_size);
  identity.modified = Nanoseconds(status.st_mtim);
  identity.changed = Nanoseconds(status.st_ctim);
  return identity;
}

// Appends what `file` has from its position to its end. False, with errno, if it cannot be read.
bool ReadToEnd(int file, std::string& bytes) {
  for (;;) {
    const size_t size = bytes.size();
    bytes.resize(size + kMinMappedSize);
    const ssize_t count = read(file, bytes.data() + size, kMinMappedSize);
    bytes.resize(size + (count > 0 ? static_cast<size_t>(count) : 0));
    if (count == 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<const FileContents>> FileContents::Read(const std::string& path) {
  const bool is_standard_input = path == "-";
  const int file = is_standard_input ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return CannotRead(path, errno);
  const absl::Cleanup close_file = [&] {
    if (!is_standard_input) close(file);
  };
  std::shared_ptr<FileContents> contents(new FileContents);
  struct stat status;
  if (fstat(file, &status) != 0) return CannotRead(path, errno);
  if (S_ISREG(status.st_mode)) contents->identity_ = IdentityOf(status);
  // Behind a file whose last page is full, no zero byte is mapped.
  const bool can_be_mapped = !is_standard_input && S_ISREG(status.st_mode) &&
                             status.st_size >= kMinMappedSize &&
                             status.st_size % sysconf(_SC_PAGESIZE) != 0;
  if (can_be_mapped) {
    const auto size = static_cast<size_t>(status.st_size);
    void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped != MAP_FAILED) {
      contents->mapped_ = mapped;
      contents->mapped_size_ = size;
      contents->bytes_ = absl::string_view(static_cast<const char*>(mapped), size);
      contents->path_ = AbsolutePath(path);
      return contents;
    }
  }
  if (!ReadToEnd(file, contents->copy_)) return CannotRead(path, errno);
  contents->bytes_ = contents->copy_;
  return contents;
}

std::shared_ptr<const FileContents> FileContents::Copy(absl::string_view bytes) {
  std::shared_ptr<FileContents> contents(new FileContents);
  contents->copy_ = std::string(bytes);
  contents->bytes_ = contents->copy_;
  return contents;
}

absl::StatusOr<std::shared_ptr<const FileContents>> FileContents::Map(int file, size_t size) {
  void* const mapped = mmap(nullptr, size + 1, PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    return absl::ResourceExhaustedError(absl::StrCat("mapping a file: ", std::strerror(errno)));
  }
  std::shared_ptr<FileContents> contents(new FileContents);
  contents->mapped_ = mapped;
  contents->mapped_size_ = size + 1;
  contents->bytes_ = absl::string_view(static_cast<const char*>(mapped), size);
  return contents;
}

absl::StatusOr<std::shared_ptr<const FileContents>> FileContents::Settled(
    absl::string_view digest) const {
  if (path_.empty()) return shared_from_this();
  std::shared_ptr<FileContents> copy(new FileContents);
  const size_t size = bytes_.size() + 1;  // The last byte stays zero.
  void* const memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return absl::ResourceExhaustedError(absl::StrCat("'", path_, "': ", std::strerror(errno)));
  }
  copy->mapped_ = memory;
  copy->mapped_size_ = size;
  copy->is_anonymous_ = true;
  copy->identity_ = identity_;
  PopulateForWriting(memory, size);
  if (absl::Status copied = copy->CopyFrom(*this, digest); !copied.ok()) return copied;
  ReleasePages();
  copy->bytes_ = absl::string_view(static_cast<const char*>(memory), bytes_.size());
  return copy;
}

absl::Status FileContents::CopyFrom(const FileContents& mapped, absl::string_view digest) {
  const File file(open(mapped.path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const int reason = errno;
  struct stat status;
  const bool is_there = file.is_open() && fstat(file.number(), &status) == 0 &&
                        status.st_dev == mapped.identity_->device &&
                        status.st_ino == mapped.identity_->inode;
  if (is_there) return ReadAgain(file.number(), mapped);
  if (!file.is_open() && digest.empty() && IsOutOfMeans(reason)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("opening '", mapped.path_, "' again: ", std::strerror(reason)));
  }
  // Another file has its name now, or none. It may have been written to before.
  if (absl::Status copied = CopyPages(mapped); !copied.ok()) return copied;
  const absl::string_view bytes(static_cast<const char*>(mapped_), mapped.bytes_.size());
  if (!digest.empty() && ContentDigest(bytes) != digest) return HasChanged(mapped.path_);
  return absl::OkStatus();
}

// The system copies, because it reports pages that are not there any more without a signal.
absl::Status FileContents::CopyPages(const FileContents& mapped) {
  const size_t size = mapped.bytes_.size();
  const iovec to = {mapped_, size};
  const iovec from = {mapped.mapped_, size};
  const ssize_t count = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  if (count == static_cast<ssize_t>(size)) return absl::OkStatus();
  if (count >= 0 || errno == EFAULT) return HasChanged(mapped.path_);
  std::memcpy(mapped_, mapped.mapped_, size);  // A sandbox forbids the call.
  return absl::OkStatus();
}

absl::Status FileContents::ReadAgain(int file, const FileContents& mapped) {
  const auto is_unchanged = [&] {
    struct stat status;
    return fstat(file, &status) == 0 && IdentityOf(status).HasContentsOf(*mapped.identity_);
  };
  if (!is_unchanged()) return HasChanged(mapped.path_);
  size_t done = 0;
  while (done < mapped.bytes_.size()) {
    const ssize_t count = pread(file, static_cast<char*>(mapped_) + done,
                                mapped.bytes_.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return absl::UnavailableError(
          absl::StrCat("reading '", mapped.path_, "' again: ", std::strerror(errno)));
    }
    if (count == 0) return HasChanged(mapped.path_);
    done += static_cast<size_t>(count);
  }
  return is_unchanged() ? absl::OkStatus() : HasChanged(mapped.path_);
}

void FileContents::ReleasePages() const {
  if (mapped_ != nullptr && !is_anonymous_) madvise(mapped_, mapped_size_, MADV_DONTNEED);
}

void FileContents::Discard(absl::string_view part) const {
  if (!is_anonymous_) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(part.data());
  const uintptr_t first = RoundUp(begin, page), end = (begin + part.size()) / page * page;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

FileContents::~FileContents() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_size_);
}

}  // namespace firstcall

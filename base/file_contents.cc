#include "base/file_contents.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace firstcall {
namespace {

// Below this size, reading a file is cheaper than mapping it.
constexpr off_t kMinMappedSize = 16 * 1024;

absl::Status CannotRead(const std::string& path, int error) {
  return absl::NotFoundError(absl::StrCat("cannot read '", path, "': ", std::strerror(error)));
}

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

void FileContents::ReleasePages() const {
  if (mapped_ != nullptr) madvise(mapped_, mapped_size_, MADV_DONTNEED);
}

FileContents::~FileContents() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_size_);
}

}  // namespace firstcall

#include "services/executor/shared_memory_object.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/positioned_write.h"
#include "base/status.h"
#include "memory/system_pages.h"

namespace firstcall {
namespace {

constexpr absl::string_view kPrefix = "/firstcall-";

// 128 random bits, so that the name cannot be in use.
absl::StatusOr<std::string> RandomName() {
  uint64_t random[2];
  if (getrandom(random, sizeof(random), 0) != sizeof(random)) return SystemError("getrandom");
  return absl::StrFormat("%s%016x%016x", kPrefix, random[0], random[1]);
}

// Checks for room now, because a sparse file may be larger than the rest of its file system, and
// only a thread that writes to it would find out.
absl::Status CheckRoom(int file, size_t size) {
  if (size > LargestFile()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("code memory: ", size,
                     " bytes of shared memory are more than a file may have ", "(RLIMIT_FSIZE)"));
  }
  struct statvfs system;
  if (fstatvfs(file, &system) != 0) return SystemError("fstatvfs");
  // A file system that reports no blocks has no limit.
  const uint64_t left = uint64_t{system.f_bavail} * system.f_frsize;
  if (system.f_blocks > 0 && left < size) {
    return absl::ResourceExhaustedError(absl::StrCat("code memory: ", size,
                                                     " bytes of shared memory are more than the ",
                                                     left, " that are left"));
  }
  return absl::OkStatus();
}

}  // namespace

SharedMemoryObject::SharedMemoryObject(std::string name, int file)
    : name_(std::move(name)), file_(file) {}

SharedMemoryObject::SharedMemoryObject(SharedMemoryObject&& other) noexcept
    : name_(std::exchange(other.name_, {})), file_(std::exchange(other.file_, -1)) {}

SharedMemoryObject::~SharedMemoryObject() {
  if (!name_.empty()) shm_unlink(name_.c_str());
  if (file_ >= 0) close(file_);
}

absl::StatusOr<SharedMemoryObject> SharedMemoryObject::Create(size_t size) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::string name, RandomName());
  const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0) return SystemError("shm_open");
  SharedMemoryObject object(std::move(name), file);
  // The other process must be able to open the object, whatever this process's umask is.
  if (fchmod(file, 0600) != 0) return SystemError("fchmod");
  FIRSTCALL_RETURN_IF_ERROR(CheckRoom(file, size));
  if (ftruncate(file, static_cast<off_t>(size)) != 0) return SystemError("ftruncate");
  return object;
}

absl::StatusOr<SharedMemoryObject> SharedMemoryObject::Open(absl::string_view name, size_t size) {
  if (!absl::StartsWith(name, kPrefix) || absl::StrContains(name, '\0')) {
    return absl::InvalidArgumentError("code memory: not a name of shared pages");
  }
  const std::string opened(name);
  const int file = shm_open(opened.c_str(), O_RDWR, 0);
  if (file < 0) return SystemError("shm_open");
  shm_unlink(opened.c_str());
  SharedMemoryObject object("", file);
  struct stat properties;
  if (fstat(file, &properties) != 0) return SystemError("fstat");
  if (static_cast<uint64_t>(properties.st_size) < size) {
    return absl::InvalidArgumentError("code memory: fewer shared pages than are to be mapped");
  }
  return object;
}

}  // namespace firstcall

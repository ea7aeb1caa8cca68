#include "memory/arena.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace firstcall {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

// Of a direct call, to either side: 32 bits on x86-64 (Intel SDM volume 2, CALL), 28 on AArch64
// (Arm Architecture Reference Manual, C6.2, BL), which is also less than what is known of others.
#if defined(__x86_64__)
constexpr size_t kBranchReach = 2048 * kMiB;
#else
constexpr size_t kBranchReach = 128 * kMiB;
#endif

// Writable data becomes accessible in steps of this size, so that the reservation does not count
// against the system's commit limit.
constexpr size_t kCommitStep = 4 * kMiB;

size_t PageSize() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

size_t RoundUp(size_t value, size_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

absl::Status SystemError(absl::string_view operation) {
  return absl::ResourceExhaustedError(
      absl::StrCat("code memory: ", operation, ": ", std::strerror(errno)));
}

// Pages without a name that can be mapped twice.
absl::StatusOr<int> CreatePages(size_t size) {
  int file = static_cast<int>(syscall(SYS_memfd_create, "firstcall", 1 /* MFD_CLOEXEC */));
  if (file < 0) return SystemError("memfd_create");
  if (ftruncate(file, static_cast<off_t>(size)) != 0) {
    absl::Status status = SystemError("ftruncate");
    close(file);
    return status;
  }
  return file;
}

}  // namespace

ArenaSizes ArenaSizes::Default() {
  return {std::min(256 * kMiB, kBranchReach), 256 * kMiB, 1024 * kMiB};
}

absl::StatusOr<std::unique_ptr<Arena>> Arena::Create(const ArenaSizes& sizes) {
  std::unique_ptr<Arena> arena(new Arena(sizes));
  FIRSTCALL_RETURN_IF_ERROR(arena->Map());
  return arena;
}

Arena::Arena(const ArenaSizes& sizes) : owner_(getpid()) {
  code_.size = RoundUp(sizes.code, PageSize());
  read_only_.size = RoundUp(sizes.read_only, PageSize());
  data_.size = RoundUp(sizes.data, PageSize());
  code_size_ = code_.size;
  alias_size_ = code_.size + read_only_.size;
  reserved_size_ = alias_size_ + data_.size;
}

Arena::~Arena() {
  if (reserved_ != nullptr) munmap(reserved_, reserved_size_);
  if (alias_ != nullptr) munmap(alias_, alias_size_);
}

absl::Status Arena::Map() {
  absl::MutexLock lock(&mutex_);
  void* reserved =
      mmap(nullptr, reserved_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return SystemError("reserving address space");
  reserved_ = static_cast<uint8_t*>(reserved);
  void* alias =
      mmap(nullptr, alias_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (alias == MAP_FAILED) return SystemError("reserving address space");
  alias_ = static_cast<uint8_t*>(alias);

  code_.run = ExecutorAddress::Of(reserved_);
  code_.write = alias_;
  read_only_.run = code_.run + code_.size;
  read_only_.write = alias_ + code_.size;
  data_.run = read_only_.run + read_only_.size;
  data_.write = reserved_ + alias_size_;

  FIRSTCALL_ASSIGN_OR_RETURN(int file, CreatePages(alias_size_));
  absl::Cleanup close_file = [file] { close(file); };
  return MapShared(file, 0, 0);
}

absl::Status Arena::MapShared(int file, size_t code_from, size_t read_only_from) {
  FIRSTCALL_RETURN_IF_ERROR(MapView(file, code_, code_from, 0, PROT_READ | PROT_EXEC));
  return MapView(file, read_only_, read_only_from, code_.size, PROT_READ);
}

absl::Status Arena::MapView(int file, const Part& part, size_t from, size_t file_offset,
                            int protection) {
  const size_t size = part.size - from;
  if (size == 0) return absl::OkStatus();
  const auto offset = static_cast<off_t>(file_offset + from);
  if (mmap(part.write + from, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, offset) ==
          MAP_FAILED ||
      mmap((part.run + from).InThisProcess<void*>(), size, protection, MAP_SHARED | MAP_FIXED, file,
           offset) == MAP_FAILED) {
    return SystemError("mapping pages");
  }
  return absl::OkStatus();
}

absl::Status Arena::LeaveParentsPages() {
  FIRSTCALL_ASSIGN_OR_RETURN(int file, CreatePages(alias_size_));
  absl::Cleanup close_file = [file] { close(file); };
  const size_t code_from = RoundUp(code_.used, PageSize());
  const size_t read_only_from = RoundUp(read_only_.used, PageSize());
  FIRSTCALL_RETURN_IF_ERROR(MapShared(file, code_from, read_only_from));
  code_.used = code_from;
  read_only_.used = read_only_from;
  owner_ = getpid();
  return absl::OkStatus();
}

absl::Status Arena::Commit(Part& data, size_t end) {
  if (end <= data.committed) return absl::OkStatus();
  const size_t committed = std::min(data.size, RoundUp(end, kCommitStep));
  if (mprotect(data.write + data.committed, committed - data.committed, PROT_READ | PROT_WRITE) !=
      0) {
    return SystemError("making data writable");
  }
  data.committed = committed;
  return absl::OkStatus();
}

Arena::Part& Arena::part(Segment segment) {
  switch (segment) {
    case Segment::kCode:
      return code_;
    case Segment::kReadOnly:
      return read_only_;
    case Segment::kData:
      break;
  }
  return data_;
}

absl::StatusOr<ArenaBlock> Arena::Allocate(Segment segment, size_t size, size_t alignment) {
  absl::MutexLock lock(&mutex_);
  if (getpid() != owner_) FIRSTCALL_RETURN_IF_ERROR(LeaveParentsPages());
  Part& from = part(segment);
  // The range itself is aligned to a page only.
  const uint64_t start = from.run.value();
  const size_t begin = RoundUp(start + from.used, alignment) - start;
  if (begin > from.size || size > from.size - begin) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "code memory: ", size, " bytes do not fit in what is left of an arena segment (", from.used,
        " of ", from.size, " bytes used)"));
  }
  if (segment == Segment::kData) FIRSTCALL_RETURN_IF_ERROR(Commit(from, begin + size));
  from.used = begin + size;
  return ArenaBlock{from.write + begin, from.run + begin};
}

bool Arena::Contains(ExecutorAddress address) const {
  const int64_t offset = address - ExecutorAddress::Of(reserved_);
  return offset >= 0 && static_cast<uint64_t>(offset) < reserved_size_;
}

bool Arena::IsReachedByCalls(ExecutorAddress address) const {
  const int64_t offset = address - ExecutorAddress::Of(reserved_);
  return code_size_ <= kBranchReach && offset >= 0 && static_cast<uint64_t>(offset) < code_size_;
}

ArenaUsage Arena::usage() const {
  absl::MutexLock lock(&mutex_);
  return {code_.used, read_only_.used, data_.used};
}

}  // namespace firstcall

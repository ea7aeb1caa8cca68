#include "memory/in_process_mapper.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "base/positioned_write.h"
#include "base/round_up.h"
#include "base/status.h"
#include "memory/copied_pages.h"
#include "memory/instruction_cache.h"
#include "memory/system_pages.h"

namespace firstcall {
namespace {

// What core dumps have grows in steps of so many bytes, because each takes a system call.
constexpr size_t kDumpStep = 256 * 1024;

// A file without a name whose pages can be mapped twice.
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

// False if something else is there, which stays.
bool MapPageInFrontOf(uint8_t* run) {
  uint8_t* const page = run - SystemPageSize();
  void* const mapped = mmap(page, SystemPageSize(), PROT_READ,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped == page) return true;
  if (mapped != MAP_FAILED) munmap(mapped, SystemPageSize());  // A kernel without that flag.
  return false;
}

}  // namespace

bool InProcessMapper::Unmap(uint8_t* run, const Mapping& mapping) {
  const size_t front = mapping.has_front ? SystemPageSize() : 0;
  return munmap(run - front, front + mapping.size) == 0;
}

InProcessMapper::~InProcessMapper() {
  std::vector<Slab> slabs;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [address, mapping] : slabs_) {
      slabs.push_back({ExecutorAddress(address), mapping.size});
    }
  }
  for (const Slab& slab : slabs) (void)Release(slab);
}

size_t InProcessMapper::page_size() const { return SystemPageSize(); }

// Code of -fsanitize=function reads what is in front of a function, which may be the slab's first
// one: so there is a page. It is reserved with the slab only where that must be, because the system
// may find other addresses for it then.
absl::StatusOr<Slab> InProcessMapper::Reserve(size_t size, ExecutorAddress near) {
  Mapping mapping;
  mapping.size = size;
  FIRSTCALL_ASSIGN_OR_RETURN(uint8_t * run, ReserveAddressesNear(size, near));
  mapping.has_front = MapPageInFrontOf(run);
  if (!mapping.has_front) {
    Unmap(run, mapping);
    const size_t front = page_size();
    FIRSTCALL_ASSIGN_OR_RETURN(uint8_t * begin, ReserveAddressesNear(front + size, near));
    run = begin + front;
    mapping.has_front = true;
    if (mprotect(begin, front, PROT_READ) != 0) {
      Unmap(run, mapping);
      return SystemError("making a page readable");
    }
  }
  const ExecutorAddress address = ExecutorAddress::Of(run);
  absl::MutexLock lock(&mutex_);
  slabs_.emplace(address.value(), mapping);
  return Slab{address, size};
}

absl::StatusOr<InProcessMapper::Mapping> InProcessMapper::MappingOf(const Slab& slab) const {
  absl::MutexLock lock(&mutex_);
  auto found = slabs_.find(slab.run.value());
  if (found == slabs_.end()) return absl::FailedPreconditionError("code memory: not a slab");
  return found->second;
}

absl::StatusOr<uint8_t*> InProcessMapper::AliasOf(const Slab& slab) {
  absl::MutexLock lock(&mutex_);
  Mapping& mapping = slabs_.at(slab.run.value());
  if (mapping.alias == nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(mapping.alias, ReserveAddresses(mapping.size));
  }
  return mapping.alias;
}

absl::Status InProcessMapper::MapTwice(uint8_t* alias, uint8_t* run, size_t size,
                                       Protection protection, int file, size_t file_offset) const {
  const bool is_code = protection == Protection::kReadExecute;
  if (file < 0) return MapAnonymousPagesTwice(alias, run, size, is_code);
  FIRSTCALL_RETURN_IF_ERROR(MapSharedPages(alias, size, PROT_READ | PROT_WRITE, file, file_offset));
  return is_code ? MapCodePages(run, size, file, file_offset)
                 : MapSharedPages(run, size, PROT_READ, file, file_offset);
}

void InProcessMapper::LeaveOutOfDumps(const Slab& slab, const SlabSegment& segment) {
  const auto& [range, protection] = segment;
  absl::MutexLock lock(&mutex_);
  Mapping& mapping = slabs_.at(slab.run.value());
  std::optional<size_t>& dumped_to = mapping.dumped_to[static_cast<size_t>(protection)];
  dumped_to = std::min(dumped_to.value_or(range.offset), range.offset);
  uint8_t* const run = (slab.run + range.offset).InThisProcess<uint8_t*>();
  (void)madvise(run, range.size, MADV_DONTDUMP);
  (void)madvise(mapping.alias + range.offset, range.size, MADV_DONTDUMP);
}

void InProcessMapper::TakeIntoDumps(const Slab& slab, const SlabSegment& segment) {
  const auto& [range, protection] = segment;
  absl::MutexLock lock(&mutex_);
  Mapping& mapping = slabs_.at(slab.run.value());
  std::optional<size_t>& dumped_to = mapping.dumped_to[static_cast<size_t>(protection)];
  const size_t end = range.offset + range.size;
  if (!dumped_to || end <= *dumped_to) return;
  const size_t from = *dumped_to;
  const size_t to = std::min(RoundUp(end, kDumpStep), mapping.size);
  (void)madvise((slab.run + from).InThisProcess<uint8_t*>(), to - from, MADV_DODUMP);
  dumped_to = to;
}

absl::StatusOr<std::vector<uint8_t*>> InProcessMapper::Initialize(
    const Slab& slab, absl::Span<const SlabSegment> segments) {
  FIRSTCALL_RETURN_IF_ERROR(MappingOf(slab).status());
  size_t shared_size = 0;
  for (const SlabSegment& segment : segments) {
    if (segment.protection != Protection::kReadWrite) shared_size += segment.range.size;
  }
  int file = -1;
  absl::Cleanup close_file = [&file] {
    if (file >= 0) close(file);
  };
  if (shared_size > 0 && pages_ == Pages::kFile && shared_size <= LargestFile()) {
    FIRSTCALL_ASSIGN_OR_RETURN(file, CreatePages(shared_size));
  }
  std::vector<uint8_t*> written;
  size_t file_offset = 0;
  for (const auto& [range, protection] : segments) {
    uint8_t* run = (slab.run + range.offset).InThisProcess<uint8_t*>();
    if (protection == Protection::kReadWrite) {
      if (range.size > 0 && mprotect(run, range.size, PROT_READ | PROT_WRITE) != 0) {
        return SystemError("making data writable");
      }
      written.push_back(run);
      continue;
    }
    if (range.size == 0) {
      written.push_back(nullptr);
      continue;
    }
    FIRSTCALL_ASSIGN_OR_RETURN(uint8_t * alias, AliasOf(slab));
    alias += range.offset;
    written.push_back(alias);
    FIRSTCALL_RETURN_IF_ERROR(MapTwice(alias, run, range.size, protection, file, file_offset));
    LeaveOutOfDumps(slab, {range, protection});
    file_offset += range.size;
  }
  return written;
}

// Changes no protection: each mapping has its protection from the start, because code and read-only
// data are written through another one.
absl::StatusOr<PageMapper::AllocationId> InProcessMapper::Finalize(const Slab& slab,
                                                                   const Allocation& allocation) {
  FIRSTCALL_ASSIGN_OR_RETURN(const Mapping mapping, MappingOf(slab));
  for (const auto& [range, protection] : allocation.segments) {
    if (protection != Protection::kReadWrite) TakeIntoDumps(slab, {range, protection});
    if (protection != Protection::kReadExecute) continue;
    uint8_t* const written = mapping.alias + range.offset;
    FlushInstructions(written, slab.run + range.offset, range.size);
    FIRSTCALL_RETURN_IF_ERROR(WriteToCopiedPages(written, slab.run + range.offset, range.size));
  }
  SynchronizeInstructionFetch();
  RunActions(allocation.when_finalized);
  return allocations_.Add(slab.run, allocation.when_deallocated);
}

absl::Status InProcessMapper::Deallocate(absl::Span<const AllocationId> allocations) {
  allocations_.Deallocate(allocations);
  return absl::OkStatus();
}

absl::Status InProcessMapper::Discard(const Slab& slab, const SlabSegment& pages) {
  FIRSTCALL_ASSIGN_OR_RETURN(const Mapping mapping, MappingOf(slab));
  // Private pages can be dropped; shared pages have to be removed from their file.
  const bool is_private = pages.protection == Protection::kReadWrite;
  uint8_t* base = is_private ? slab.run.InThisProcess<uint8_t*>() : mapping.alias;
  const int advice = is_private ? MADV_DONTNEED : MADV_REMOVE;
  if (madvise(base + pages.range.offset, pages.range.size, advice) != 0) {
    return SystemError("giving pages back");
  }
  return absl::OkStatus();
}

absl::Status InProcessMapper::SynchronizeInstructions() {
  RunFetchBarrier(AvailableFetchBarrier());
  return absl::OkStatus();
}

absl::Status InProcessMapper::Release(const Slab& slab) {
  Mapping mapping;
  {
    absl::MutexLock lock(&mutex_);
    auto found = slabs_.find(slab.run.value());
    if (found == slabs_.end()) return absl::FailedPreconditionError("code memory: not a slab");
    mapping = found->second;
    slabs_.erase(found);
  }
  allocations_.DeallocateAll(slab.run);
  const bool is_unmapped = Unmap(slab.run.InThisProcess<uint8_t*>(), mapping);
  const bool has_alias = mapping.alias != nullptr;
  if ((has_alias && munmap(mapping.alias, mapping.size) != 0) || !is_unmapped) {
    return SystemError("unmapping");
  }
  return absl::OkStatus();
}

}  // namespace firstcall

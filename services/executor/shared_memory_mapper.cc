#include "services/executor/shared_memory_mapper.h"

#include <sys/mman.h>

#include <utility>

#include "absl/cleanup/cleanup.h"
#include "base/status.h"
#include "memory/system_pages.h"
#include "services/executor/executor_messages.h"
#include "services/executor/shared_memory_object.h"

namespace firstcall {
namespace {

Encoder ReleaseRequest(ExecutorAddress slab) {
  Encoder request = RequestOf(ExecutorOperation::kRelease);
  EncodeAddress(slab, request);
  return request;
}

absl::Status CheckPages(const SlabRange& range, size_t slab_size) {
  if (range.offset > slab_size || range.size > slab_size - range.offset ||
      (range.offset | range.size) % SystemPageSize() != 0) {
    return absl::InvalidArgumentError("code memory: not whole pages of the slab");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<SharedMemoryMapper>> SharedMemoryMapper::Create(
    std::shared_ptr<ExecutorConnection> connection) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<ExecutorClient> client,
                             ExecutorClient::Create(std::move(connection)));
  return Create(std::move(client));
}

absl::StatusOr<std::unique_ptr<SharedMemoryMapper>> SharedMemoryMapper::Create(
    std::shared_ptr<const ExecutorClient> client) {
  if (client->page_size() != SystemPageSize()) {
    return absl::FailedPreconditionError(
        "code memory: the executing process has pages of another size");
  }
  return std::unique_ptr<SharedMemoryMapper>(new SharedMemoryMapper(std::move(client)));
}

SharedMemoryMapper::SharedMemoryMapper(std::shared_ptr<const ExecutorClient> client)
    : client_(std::move(client)) {}

SharedMemoryMapper::~SharedMemoryMapper() {
  absl::MutexLock lock(&mutex_);
  for (const auto& [address, memory] : slabs_) {
    (void)client_->Ask(ReleaseRequest(ExecutorAddress(address)));
    munmap(memory.begin, memory.size);
  }
}

void SharedMemoryMapper::Add(ExecutorAddress slab, const WorkingMemory& memory) {
  absl::MutexLock lock(&mutex_);
  auto [at, is_new] = slabs_.emplace(slab.value(), memory);
  if (is_new) return;
  // The executing process has released the earlier slab at this address, but its answer was lost.
  munmap(at->second.begin, at->second.size);
  at->second = memory;
}

absl::StatusOr<Slab> SharedMemoryMapper::Reserve(size_t size, ExecutorAddress near) {
  FIRSTCALL_ASSIGN_OR_RETURN(uint8_t * begin, ReserveAddresses(size));
  absl::Cleanup give_back = [&] { munmap(begin, size); };
  Encoder request = RequestOf(ExecutorOperation::kReserve);
  request.U64(size);
  EncodeAddress(near, request);
  FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t address, client_->AskForNumber(request));
  std::move(give_back).Cancel();
  Add(ExecutorAddress(address), {begin, size});
  return Slab{ExecutorAddress(address), size};
}

absl::StatusOr<SharedMemoryMapper::WorkingMemory> SharedMemoryMapper::WorkingMemoryOf(
    const Slab& slab) const {
  absl::MutexLock lock(&mutex_);
  auto found = slabs_.find(slab.run.value());
  if (found == slabs_.end()) return absl::FailedPreconditionError("code memory: not a slab");
  return found->second;
}

// Uses one object for all segments, one after the other.
absl::StatusOr<std::vector<uint8_t*>> SharedMemoryMapper::Initialize(
    const Slab& slab, absl::Span<const SlabSegment> segments) {
  FIRSTCALL_ASSIGN_OR_RETURN(const WorkingMemory memory, WorkingMemoryOf(slab));
  FIRSTCALL_RETURN_IF_ERROR(client_->CheckOwner());
  std::vector<uint8_t*> written;
  std::vector<SlabRange> pages;
  size_t size = 0;
  for (const auto& [range, protection] : segments) {
    FIRSTCALL_RETURN_IF_ERROR(CheckPages(range, memory.size));
    written.push_back(memory.begin + range.offset);
    pages.push_back(range);
    size += range.size;
  }
  if (size == 0) return written;
  FIRSTCALL_ASSIGN_OR_RETURN(const SharedMemoryObject object, SharedMemoryObject::Create(size));
  size_t offset = 0;
  for (size_t i = 0; i < pages.size(); ++i) {
    if (pages[i].size == 0) continue;
    FIRSTCALL_RETURN_IF_ERROR(
        MapSharedPages(written[i], pages[i].size, PROT_READ | PROT_WRITE, object.file(), offset));
    offset += pages[i].size;
  }
  Encoder request = RequestOf(ExecutorOperation::kMap);
  EncodeAddress(slab.run, request);
  request.String(object.name());
  EncodeRanges(pages, request);
  FIRSTCALL_RETURN_IF_ERROR(client_->AskForNumber(request).status());
  return written;
}

absl::StatusOr<PageMapper::AllocationId> SharedMemoryMapper::Finalize(
    const Slab& slab, const Allocation& allocation) {
  Encoder request = RequestOf(ExecutorOperation::kFinalize);
  EncodeAddress(slab.run, request);
  EncodeSegments(allocation.segments, request);
  EncodeActions(allocation.when_finalized, request);
  EncodeActions(allocation.when_deallocated, request);
  return client_->AskForNumber(request);
}

absl::Status SharedMemoryMapper::Deallocate(absl::Span<const AllocationId> allocations) {
  if (allocations.empty()) return absl::OkStatus();
  Encoder request = RequestOf(ExecutorOperation::kDeallocate);
  EncodeAllocations(allocations, request);
  return client_->AskForNumber(request).status();
}

// Pages that one process removes from the shared memory are gone for both.
absl::Status SharedMemoryMapper::Discard(const Slab& slab, const SlabSegment& pages) {
  FIRSTCALL_ASSIGN_OR_RETURN(const WorkingMemory memory, WorkingMemoryOf(slab));
  FIRSTCALL_RETURN_IF_ERROR(client_->CheckOwner());
  FIRSTCALL_RETURN_IF_ERROR(CheckPages(pages.range, memory.size));
  if (madvise(memory.begin + pages.range.offset, pages.range.size, MADV_REMOVE) != 0) {
    return SystemError("giving pages back");
  }
  return absl::OkStatus();
}

absl::Status SharedMemoryMapper::SynchronizeInstructions() {
  return client_->AskForNumber(RequestOf(ExecutorOperation::kSynchronizeInstructions)).status();
}

absl::Status SharedMemoryMapper::Release(const Slab& slab) {
  // Removed first, because the executing process may reserve the same addresses again at once.
  WorkingMemory memory;
  {
    absl::MutexLock lock(&mutex_);
    auto found = slabs_.find(slab.run.value());
    if (found == slabs_.end()) return absl::FailedPreconditionError("code memory: not a slab");
    memory = found->second;
    slabs_.erase(found);
  }
  const absl::Status released = client_->AskForNumber(ReleaseRequest(slab.run)).status();
  if (!released.ok() && !absl::IsUnavailable(released) && !absl::IsFailedPrecondition(released)) {
    Add(slab.run, memory);
    return released;
  }
  if (munmap(memory.begin, memory.size) != 0) return SystemError("unmapping");
  return released;
}

}  // namespace firstcall

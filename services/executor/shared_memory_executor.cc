#include "services/executor/shared_memory_executor.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status.h"
#include "memory/instruction_cache.h"
#include "memory/system_pages.h"
#include "memory/unwind_registry.h"
#include "services/executor/shared_memory_object.h"

namespace firstcall {
namespace {

int SystemProtection(Protection protection) {
  switch (protection) {
    case Protection::kReadExecute:
      return PROT_READ | PROT_EXEC;
    case Protection::kRead:
      return PROT_READ;
    case Protection::kReadWrite:
      return PROT_READ | PROT_WRITE;
  }
  return PROT_NONE;
}

// Protects all pages that the range touches: everything in them has the same protection. If a page
// already has this protection, the system changes nothing.
absl::Status Protect(uint8_t* begin, size_t size, Protection protection) {
  const size_t before = reinterpret_cast<uintptr_t>(begin) & (SystemPageSize() - 1);
  if (mprotect(begin - before, before + size, SystemProtection(protection)) != 0) {
    return SystemError("protecting pages");
  }
  return absl::OkStatus();
}

}  // namespace

SharedMemoryExecutor::~SharedMemoryExecutor() {
  std::vector<uint64_t> slabs;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [address, size] : slabs_) slabs.push_back(address);
  }
  for (uint64_t slab : slabs) (void)Release(ExecutorAddress(slab));
}

absl::StatusOr<ExecutorAddress> SharedMemoryExecutor::Reserve(size_t size, ExecutorAddress near) {
  FIRSTCALL_ASSIGN_OR_RETURN(uint8_t * begin, ReserveAddressesNear(size, near));
  const ExecutorAddress slab = ExecutorAddress::Of(begin);
  absl::MutexLock lock(&mutex_);
  slabs_.emplace(slab.value(), size);
  return slab;
}

absl::StatusOr<uint8_t*> SharedMemoryExecutor::AddressOf(ExecutorAddress slab,
                                                         const SlabRange& range) const {
  auto found = slabs_.find(slab.value());
  if (found == slabs_.end()) return absl::FailedPreconditionError("code memory: not a slab");
  if (range.offset > found->second || range.size > found->second - range.offset) {
    return absl::InvalidArgumentError("code memory: a range that is not in the slab");
  }
  return (slab + range.offset).InThisProcess<uint8_t*>();
}

absl::Status SharedMemoryExecutor::Map(ExecutorAddress slab, absl::string_view object,
                                       absl::Span<const SlabRange> pages) {
  absl::MutexLock lock(&mutex_);
  size_t size = 0;
  for (const SlabRange& range : pages) {
    FIRSTCALL_RETURN_IF_ERROR(AddressOf(slab, range).status());
    if ((range.offset | range.size) % SystemPageSize() != 0) {
      return absl::InvalidArgumentError("code memory: a range that is not whole pages");
    }
    size += range.size;
  }
  FIRSTCALL_ASSIGN_OR_RETURN(const SharedMemoryObject shared,
                             SharedMemoryObject::Open(object, size));
  size_t offset = 0;
  for (const SlabRange& range : pages) {
    if (range.size == 0) continue;
    FIRSTCALL_ASSIGN_OR_RETURN(uint8_t * begin, AddressOf(slab, range));
    FIRSTCALL_RETURN_IF_ERROR(MapSharedPages(begin, range.size, PROT_NONE, shared.file(), offset));
    offset += range.size;
  }
  return absl::OkStatus();
}

absl::StatusOr<PageMapper::AllocationId> SharedMemoryExecutor::Finalize(
    ExecutorAddress slab, const Allocation& allocation) {
  {
    absl::MutexLock lock(&mutex_);
    FIRSTCALL_RETURN_IF_ERROR(AddressOf(slab, {}).status());
    for (const auto& [range, protection] : allocation.segments) {
      FIRSTCALL_ASSIGN_OR_RETURN(uint8_t * begin, AddressOf(slab, range));
      if (range.size == 0) continue;
      FIRSTCALL_RETURN_IF_ERROR(Protect(begin, range.size, protection));
      RegisterTablesIn(slab + range.offset, range.size);
      if (protection != Protection::kReadExecute) continue;
      FlushInstructions(begin, slab + range.offset, range.size);
    }
  }
  SynchronizeInstructionFetch();
  RunActions(allocation.when_finalized);
  return allocations_.Add(slab, allocation.when_deallocated);
}

void SharedMemoryExecutor::Deallocate(absl::Span<const AllocationId> allocations) {
  allocations_.Deallocate(allocations);
}

absl::Status SharedMemoryExecutor::RegisterUnwindTable(const UnwindTable& table) {
  absl::MutexLock lock(&mutex_);
  const bool is_in_slab = std::any_of(slabs_.begin(), slabs_.end(), [&](const auto& slab) {
    return table.table.value() - slab.first < slab.second;
  });
  if (!is_in_slab) return absl::FailedPreconditionError("code memory: a table in no slab");
  waiting_tables_.emplace(table.table.value(), table);
  return absl::OkStatus();
}

void SharedMemoryExecutor::RegisterTablesIn(ExecutorAddress begin, size_t size) {
  auto table = waiting_tables_.lower_bound(begin.value());
  while (table != waiting_tables_.end() && table->first - begin.value() < size) {
    if (unwind_tables_.insert(*table).second) UnwindRegistry::OfProcess()->Register(table->second);
    table = waiting_tables_.erase(table);
  }
}

void SharedMemoryExecutor::WithdrawUnwindTables(absl::Span<const UnwindTable> tables) {
  absl::MutexLock lock(&mutex_);
  std::vector<UnwindTable> registered;
  for (const UnwindTable& table : tables) {
    waiting_tables_.erase(table.table.value());
    const auto found = unwind_tables_.find(table.table.value());
    if (found == unwind_tables_.end()) continue;
    registered.push_back(found->second);
    unwind_tables_.erase(found);
  }
  UnwindRegistry::OfProcess()->Withdraw(registered);
}

absl::Status SharedMemoryExecutor::Release(ExecutorAddress slab) {
  size_t size = 0;
  std::vector<UnwindTable> tables;
  {
    absl::MutexLock lock(&mutex_);
    auto found = slabs_.find(slab.value());
    if (found == slabs_.end()) return absl::FailedPreconditionError("code memory: not a slab");
    size = found->second;
    slabs_.erase(found);
    for (const auto* known : {&unwind_tables_, &waiting_tables_}) {
      for (auto table = known->lower_bound(slab.value());
           table != known->end() && table->first - slab.value() < size; ++table) {
        tables.push_back(table->second);
      }
    }
  }
  allocations_.DeallocateAll(slab);
  WithdrawUnwindTables(tables);
  if (munmap(slab.InThisProcess<void*>(), size) != 0) return SystemError("unmapping");
  return absl::OkStatus();
}

}  // namespace firstcall

#include "memory/executor_service.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/coding.h"
#include "base/status.h"
#include "memory/executor_messages.h"
#include "memory/instruction_cache.h"
#include "memory/system_pages.h"

namespace firstcall {
namespace {

absl::StatusOr<uint64_t> ValueOrError(const absl::Status& status) {
  if (!status.ok()) return status;
  return 0;
}

absl::Status NotARequest() {
  return absl::InvalidArgumentError("code memory: the executing process was sent no request");
}

absl::StatusOr<uint64_t> Greet(uint64_t protocol) {
  if (protocol != kExecutorProtocol) {
    return absl::FailedPreconditionError(
        "code memory: the executing process is of another version");
  }
  return SystemPageSize();
}

// Carries out nothing until the whole request was read.
absl::StatusOr<uint64_t> CarryOut(SharedMemoryExecutor& executor, absl::string_view request) {
  Decoder reader(request);
  switch (DecodeOperation(reader)) {
    case ExecutorOperation::kGreet: {
      const uint64_t protocol = reader.U64();
      return reader.IsComplete() ? Greet(protocol) : NotARequest();
    }
    case ExecutorOperation::kReserve: {
      const uint64_t size = reader.U64();
      const ExecutorAddress near = DecodeAddress(reader);
      if (!reader.IsComplete()) return NotARequest();
      FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress slab, executor.Reserve(size, near));
      return slab.value();
    }
    case ExecutorOperation::kMap: {
      const ExecutorAddress slab = DecodeAddress(reader);
      const absl::string_view object = reader.String();
      const std::vector<SlabRange> pages = DecodeRanges(reader);
      if (!reader.IsComplete()) return NotARequest();
      return ValueOrError(executor.Map(slab, object, pages));
    }
    case ExecutorOperation::kFinalize: {
      const ExecutorAddress slab = DecodeAddress(reader);
      Allocation allocation;
      allocation.segments = DecodeSegments(reader);
      allocation.when_finalized = DecodeActions(reader);
      allocation.when_deallocated = DecodeActions(reader);
      if (!reader.IsComplete()) return NotARequest();
      return executor.Finalize(slab, allocation);
    }
    case ExecutorOperation::kDeallocate: {
      const std::vector<PageMapper::AllocationId> allocations = DecodeAllocations(reader);
      if (!reader.IsComplete()) return NotARequest();
      executor.Deallocate(allocations);
      return 0;
    }
    case ExecutorOperation::kSynchronizeInstructions:
      if (!reader.IsComplete()) return NotARequest();
      RunFetchBarrier(AvailableFetchBarrier());
      return 0;
    case ExecutorOperation::kRelease: {
      const ExecutorAddress slab = DecodeAddress(reader);
      if (!reader.IsComplete()) return NotARequest();
      return ValueOrError(executor.Release(slab));
    }
  }
  return NotARequest();
}

}  // namespace

std::string AnswerExecutorRequest(SharedMemoryExecutor& executor, absl::string_view request) {
  return EncodeAnswer(CarryOut(executor, request));
}

bool MayRunActions(absl::string_view request) {
  Decoder reader(request);
  switch (DecodeOperation(reader)) {
    case ExecutorOperation::kFinalize: {
      (void)DecodeAddress(reader);
      (void)DecodeSegments(reader);
      return !DecodeActions(reader).empty();
    }
    case ExecutorOperation::kDeallocate:
    case ExecutorOperation::kRelease:
      return true;
    default:
      return false;
  }
}

}  // namespace firstcall

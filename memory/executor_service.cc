#include "memory/executor_service.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
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
  MessageReader reader(request);
  switch (static_cast<ExecutorOperation>(reader.Number())) {
    case ExecutorOperation::kGreet: {
      const uint64_t protocol = reader.Number();
      return reader.IsComplete() ? Greet(protocol) : NotARequest();
    }
    case ExecutorOperation::kReserve: {
      const uint64_t size = reader.Number();
      const ExecutorAddress near = reader.Address();
      if (!reader.IsComplete()) return NotARequest();
      FIRSTCALL_ASSIGN_OR_RETURN(const ExecutorAddress slab, executor.Reserve(size, near));
      return slab.value();
    }
    case ExecutorOperation::kMap: {
      const ExecutorAddress slab = reader.Address();
      const absl::string_view object = reader.Text();
      const std::vector<SlabRange> pages = reader.Ranges();
      if (!reader.IsComplete()) return NotARequest();
      return ValueOrError(executor.Map(slab, object, pages));
    }
    case ExecutorOperation::kFinalize: {
      const ExecutorAddress slab = reader.Address();
      Allocation allocation;
      allocation.segments = reader.Segments();
      allocation.when_finalized = reader.Actions();
      allocation.when_deallocated = reader.Actions();
      if (!reader.IsComplete()) return NotARequest();
      return executor.Finalize(slab, allocation);
    }
    case ExecutorOperation::kDeallocate: {
      const std::vector<PageMapper::AllocationId> allocations = reader.Allocations();
      if (!reader.IsComplete()) return NotARequest();
      executor.Deallocate(allocations);
      return 0;
    }
    case ExecutorOperation::kSynchronizeInstructions:
      if (!reader.IsComplete()) return NotARequest();
      RunFetchBarrier(AvailableFetchBarrier());
      return 0;
    case ExecutorOperation::kRelease: {
      const ExecutorAddress slab = reader.Address();
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
  switch (static_cast<ExecutorOperation>(MessageReader(request).Number())) {
    case ExecutorOperation::kFinalize: {
      MessageReader reader(request);
      reader.Number();
      reader.Address();
      reader.Segments();
      return !reader.Actions().empty();
    }
    case ExecutorOperation::kDeallocate:
    case ExecutorOperation::kRelease:
      return true;
    default:
      return false;
  }
}

}  // namespace firstcall

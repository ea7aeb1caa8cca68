// The requests of the compiling process to the executing process, and the answers, as bytes
// (base/coding.h). Both processes use the same version of the protocol, which the first request
// checks. Lists begin with their length. When a Decoder lacks something of what is read, the
// results are zero or empty, and Decoder::ok is false.
//
// Pure functions. Tested in tests/memory/executor_service_test.cc.

#ifndef FIRSTCALL_MEMORY_EXECUTOR_MESSAGES_H_
#define FIRSTCALL_MEMORY_EXECUTOR_MESSAGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/coding.h"
#include "memory/executor_address.h"
#include "memory/page_mapper.h"

namespace firstcall {

constexpr uint64_t kExecutorProtocol = 2;

// Each comment lists what follows the operation, a byte, in the request, and the answer. Numbers
// have 64 bits.
enum class ExecutorOperation : uint8_t {
  kGreet,                    // kExecutorProtocol -> size of a page.
  kReserve,                  // Size, near -> address of the slab.
  kMap,                      // Slab, name of the object, ranges -> 0.
  kFinalize,                 // Slab, segments, actions, actions -> id of the allocation.
  kDeallocate,               // Ids -> 0.
  kSynchronizeInstructions,  // -> 0.
  kRelease,                  // Slab -> 0.
};

// A request that begins with its operation.
Encoder RequestOf(ExecutorOperation operation);
ExecutorOperation DecodeOperation(Decoder& request);

void EncodeAddress(ExecutorAddress address, Encoder& encoder);
void EncodeRanges(absl::Span<const SlabRange> ranges, Encoder& encoder);
void EncodeSegments(absl::Span<const SlabSegment> segments, Encoder& encoder);
void EncodeActions(absl::Span<const ExecutorAction> actions, Encoder& encoder);
void EncodeAllocations(absl::Span<const PageMapper::AllocationId> allocations, Encoder& encoder);

ExecutorAddress DecodeAddress(Decoder& decoder);
std::vector<SlabRange> DecodeRanges(Decoder& decoder);
std::vector<SlabSegment> DecodeSegments(Decoder& decoder);
std::vector<ExecutorAction> DecodeActions(Decoder& decoder);
std::vector<PageMapper::AllocationId> DecodeAllocations(Decoder& decoder);

std::string EncodeAnswer(const absl::StatusOr<uint64_t>& answer);
// The answer that was encoded; Internal if `message` is not an answer.
absl::StatusOr<uint64_t> DecodeAnswer(absl::string_view message);

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_EXECUTOR_MESSAGES_H_

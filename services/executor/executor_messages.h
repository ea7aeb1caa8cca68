// The requests of the compiling process to the executing process, and the answers, as bytes
// (base/coding.h). Both processes use the same version of the protocol, which the first request
// checks. Lists begin with their length. When a Decoder lacks something of what is read, the
// results are zero or empty, and Decoder::ok is false.
//
// Pure functions. Tested in tests/services/executor/executor_service_test.cc.

#ifndef FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_MESSAGES_H_
#define FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/coding.h"
#include "memory/executor_address.h"
#include "memory/page_mapper.h"
#include "memory/unwinder.h"

namespace firstcall {

constexpr uint64_t kExecutorProtocol = 3;

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
  kRegisterUnwindTables,     // Tables -> 0.
  kWithdrawUnwindTables,     // Tables -> 0.
  kLookUp,                   // Names -> addresses, without their number.
  kInitialize,               // Address of an initializer (kInitializer) -> 0.
  kConstruct,                // Address of a constructor, arguments of the program -> 0.
  kCall,                     // Address, type of the result, typed arguments -> the result's bytes.
  kRunMain,                  // Address, EntryPoint, arguments -> main's result.
  kAllocate,                 // Size -> address.
  kFree,                     // Address -> 0.
  kRead,                     // Address, size -> bytes.
  kWrite,                    // Address, bytes -> 0.
};
inline constexpr auto kLastExecutorOperation = ExecutorOperation::kWrite;

// How many bytes one kRead or kWrite may have.
inline constexpr size_t kLongestExecutorPiece = size_t{16} << 20;

// A request that begins with its operation.
Encoder RequestOf(ExecutorOperation operation);
ExecutorOperation DecodeOperation(Decoder& request);

void EncodeAddress(ExecutorAddress address, Encoder& encoder);
void EncodeRanges(absl::Span<const SlabRange> ranges, Encoder& encoder);
void EncodeSegments(absl::Span<const SlabSegment> segments, Encoder& encoder);
void EncodeActions(absl::Span<const ExecutorAction> actions, Encoder& encoder);
void EncodeAllocations(absl::Span<const PageMapper::AllocationId> allocations, Encoder& encoder);
void EncodeTables(absl::Span<const UnwindTable> tables, Encoder& encoder);
void EncodeTexts(absl::Span<const std::string> texts, Encoder& encoder);

ExecutorAddress DecodeAddress(Decoder& decoder);
std::vector<SlabRange> DecodeRanges(Decoder& decoder);
std::vector<SlabSegment> DecodeSegments(Decoder& decoder);
std::vector<ExecutorAction> DecodeActions(Decoder& decoder);
std::vector<PageMapper::AllocationId> DecodeAllocations(Decoder& decoder);
std::vector<UnwindTable> DecodeTables(Decoder& decoder);
std::vector<std::string> DecodeTexts(Decoder& decoder);

// An answer: bytes, or a number, which is the bytes of 64 bits.
std::string EncodeAnswer(const absl::StatusOr<std::string>& answer);
absl::StatusOr<std::string> NumberAnswer(const absl::StatusOr<uint64_t>& number);
// The error, Internal, for what is not the answer to a request.
absl::Status NoAnswer();
// The answer that was encoded; NoAnswer if `message` is not an answer.
absl::StatusOr<std::string> DecodeAnswer(absl::string_view message);
absl::StatusOr<uint64_t> DecodeNumber(const absl::StatusOr<std::string>& answer);

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_MESSAGES_H_

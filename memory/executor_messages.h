// The requests of the compiling process to the executing process, and the answers, as bytes. Both
// processes run on one machine and use the same version of the protocol, which the first request
// checks. Numbers are 64 bits in the machine's byte order; texts and lists begin with their length.
//
// Thread-compatible. Tested in tests/memory/executor_service_test.cc.

#ifndef FIRSTCALL_MEMORY_EXECUTOR_MESSAGES_H_
#define FIRSTCALL_MEMORY_EXECUTOR_MESSAGES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "memory/page_mapper.h"

namespace firstcall {

constexpr uint64_t kExecutorProtocol = 1;

// Each comment lists what follows the operation in the request, and the answer.
enum class ExecutorOperation : uint64_t {
  kGreet,                    // kExecutorProtocol -> size of a page.
  kReserve,                  // Size, near -> address of the slab.
  kMap,                      // Slab, name of the object, ranges -> 0.
  kFinalize,                 // Slab, segments, actions, actions -> id of the allocation.
  kDeallocate,               // Ids -> 0.
  kSynchronizeInstructions,  // -> 0.
  kRelease,                  // Slab -> 0.
};

class MessageWriter {
 public:
  explicit MessageWriter(ExecutorOperation operation) { Add(static_cast<uint64_t>(operation)); }

  void Add(uint64_t number);
  void Add(ExecutorAddress address) { Add(address.value()); }
  void AddText(absl::string_view text);
  void Add(absl::Span<const SlabRange> ranges);
  void Add(absl::Span<const SlabSegment> segments);
  void Add(absl::Span<const ExecutorAction> actions);
  void Add(absl::Span<const PageMapper::AllocationId> allocations);

  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

// Reads a message in the order in which it was written. If something is missing, ok() is false from
// then on, and all further results are zero or empty.
class MessageReader {
 public:
  explicit MessageReader(absl::string_view message) : left_(message) {}

  uint64_t Number();
  ExecutorAddress Address() { return ExecutorAddress(Number()); }
  absl::string_view Text();  // Points into the message.
  std::vector<SlabRange> Ranges();
  std::vector<SlabSegment> Segments();
  std::vector<ExecutorAction> Actions();
  std::vector<PageMapper::AllocationId> Allocations();

  bool ok() const { return ok_; }
  // Whether nothing was missing and everything was read.
  bool IsComplete() const { return ok_ && left_.empty(); }

 private:
  // Reads the length of a list of elements of `size` bytes; zero unless the whole list is there.
  size_t Count(size_t size);

  absl::string_view left_;
  bool ok_ = true;
};

std::string EncodeAnswer(const absl::StatusOr<uint64_t>& answer);
// The answer that was encoded; Internal if `message` is not an answer.
absl::StatusOr<uint64_t> DecodeAnswer(absl::string_view message);

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_EXECUTOR_MESSAGES_H_

// What the compiling process asks of the executing one, as bytes, and what that answers. Both run
// on one machine and speak one version, which the first request tells: numbers are 64 bits in the
// machine's order, texts and lists have their length in front.
//
// Thread-compatible.

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

// With what follows the operation, and what the answer is.
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

// Reads what was written, in that order. After something that is not there, `ok()` is false, and
// everything else is zero and empty.
class MessageReader {
 public:
  explicit MessageReader(absl::string_view message) : left_(message) {}

  uint64_t Number();
  ExecutorAddress Address() { return ExecutorAddress(Number()); }
  absl::string_view Text();  // In the message.
  std::vector<SlabRange> Ranges();
  std::vector<SlabSegment> Segments();
  std::vector<ExecutorAction> Actions();
  std::vector<PageMapper::AllocationId> Allocations();

  bool ok() const { return ok_; }
  // Nothing was missing and nothing is left.
  bool IsComplete() const { return ok_ && left_.empty(); }

 private:
  // The length of a list of things of `size` bytes that are all there.
  size_t Count(size_t size);

  absl::string_view left_;
  bool ok_ = true;
};

std::string EncodeAnswer(const absl::StatusOr<uint64_t>& answer);
// What was encoded; Internal if that was no answer.
absl::StatusOr<uint64_t> DecodeAnswer(absl::string_view message);

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_EXECUTOR_MESSAGES_H_

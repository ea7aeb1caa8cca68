#include "memory/executor_messages.h"

#include <cstring>

namespace firstcall {
namespace {

constexpr auto kLastStatusCode = static_cast<uint64_t>(absl::StatusCode::kUnauthenticated);

}  // namespace

void MessageWriter::Add(uint64_t number) {
  message_.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void MessageWriter::AddText(absl::string_view text) {
  Add(text.size());
  message_.append(text.data(), text.size());
}

void MessageWriter::Add(absl::Span<const SlabRange> ranges) {
  Add(ranges.size());
  for (const SlabRange& range : ranges) {
    Add(range.offset);
    Add(range.size);
  }
}

void MessageWriter::Add(absl::Span<const SlabSegment> segments) {
  Add(segments.size());
  for (const auto& [range, protection] : segments) {
    Add(range.offset);
    Add(range.size);
    Add(static_cast<uint64_t>(protection));
  }
}

void MessageWriter::Add(absl::Span<const ExecutorAction> actions) {
  Add(actions.size());
  for (const ExecutorAction& action : actions) {
    Add(action.function);
    Add(action.argument);
  }
}

void MessageWriter::Add(absl::Span<const PageMapper::AllocationId> allocations) {
  Add(allocations.size());
  for (PageMapper::AllocationId id : allocations) Add(id);
}

uint64_t MessageReader::Number() {
  uint64_t number = 0;
  if (left_.size() < sizeof(number)) {
    ok_ = false;
    left_ = {};
    return 0;
  }
  std::memcpy(&number, left_.data(), sizeof(number));
  left_.remove_prefix(sizeof(number));
  return number;
}

size_t MessageReader::Count(size_t size) {
  const uint64_t count = Number();
  if (count <= left_.size() / size) return count;
  ok_ = false;
  left_ = {};
  return 0;
}

absl::string_view MessageReader::Text() {
  const size_t size = Count(1);
  const absl::string_view text = left_.substr(0, size);
  left_.remove_prefix(size);
  return text;
}

std::vector<SlabRange> MessageReader::Ranges() {
  std::vector<SlabRange> ranges(Count(2 * sizeof(uint64_t)));
  for (SlabRange& range : ranges) {
    range.offset = Number();
    range.size = Number();
  }
  return ranges;
}

std::vector<SlabSegment> MessageReader::Segments() {
  std::vector<SlabSegment> segments(Count(3 * sizeof(uint64_t)));
  for (auto& [range, protection] : segments) {
    range.offset = Number();
    range.size = Number();
    const uint64_t number = Number();
    protection = static_cast<Protection>(number);
    if (number > static_cast<uint64_t>(Protection::kReadWrite)) ok_ = false;
  }
  return segments;
}

std::vector<ExecutorAction> MessageReader::Actions() {
  std::vector<ExecutorAction> actions(Count(2 * sizeof(uint64_t)));
  for (ExecutorAction& action : actions) {
    action.function = Address();
    action.argument = Address();
  }
  return actions;
}

std::vector<PageMapper::AllocationId> MessageReader::Allocations() {
  std::vector<PageMapper::AllocationId> allocations(Count(sizeof(uint64_t)));
  for (PageMapper::AllocationId& id : allocations) id = Number();
  return allocations;
}

// The status code, then the value or the error's message.
std::string EncodeAnswer(const absl::StatusOr<uint64_t>& answer) {
  std::string message;
  const auto add = [&message](uint64_t number) {
    message.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  add(static_cast<uint64_t>(answer.status().code()));
  if (answer.ok()) {
    add(*answer);
  } else {
    message.append(answer.status().message().data(), answer.status().message().size());
  }
  return message;
}

absl::StatusOr<uint64_t> DecodeAnswer(absl::string_view message) {
  MessageReader reader(message);
  const uint64_t code = reader.Number();
  if (reader.ok() && code > 0 && code <= kLastStatusCode) {
    return absl::Status(static_cast<absl::StatusCode>(code), message.substr(sizeof(code)));
  }
  const uint64_t value = reader.Number();
  if (code != 0 || !reader.IsComplete()) {
    return absl::InternalError("code memory: the executing process answers what nobody asked");
  }
  return value;
}

}  // namespace firstcall

#include "memory/executor_messages.h"

#include <utility>

#include "base/status_coding.h"

namespace firstcall {
namespace {

template <typename T, typename Encode>
void EncodeList(absl::Span<const T> list, Encoder& encoder, Encode encode) {
  encoder.U32(static_cast<uint32_t>(list.size()));
  for (const T& element : list) encode(element);
}

// Each element takes `size` bytes.
template <typename T, typename Decode>
std::vector<T> DecodeList(Decoder& decoder, size_t size, Decode decode) {
  std::vector<T> list(decoder.Count(size));
  for (T& element : list) element = decode();
  return list;
}

void EncodeRange(const SlabRange& range, Encoder& encoder) {
  encoder.U64(range.offset);
  encoder.U64(range.size);
}

SlabRange DecodeRange(Decoder& decoder) {
  SlabRange range;
  range.offset = decoder.U64();
  range.size = decoder.U64();
  return range;
}

constexpr size_t kRangeSize = 2 * sizeof(uint64_t);

}  // namespace

Encoder RequestOf(ExecutorOperation operation) {
  Encoder request;
  request.U8(static_cast<uint8_t>(operation));
  return request;
}

ExecutorOperation DecodeOperation(Decoder& request) {
  return static_cast<ExecutorOperation>(request.U8());
}

void EncodeAddress(ExecutorAddress address, Encoder& encoder) { encoder.U64(address.value()); }

ExecutorAddress DecodeAddress(Decoder& decoder) { return ExecutorAddress(decoder.U64()); }

void EncodeRanges(absl::Span<const SlabRange> ranges, Encoder& encoder) {
  EncodeList(ranges, encoder, [&](const SlabRange& range) { EncodeRange(range, encoder); });
}

std::vector<SlabRange> DecodeRanges(Decoder& decoder) {
  return DecodeList<SlabRange>(decoder, kRangeSize, [&] { return DecodeRange(decoder); });
}

void EncodeSegments(absl::Span<const SlabSegment> segments, Encoder& encoder) {
  EncodeList(segments, encoder, [&](const SlabSegment& segment) {
    EncodeRange(segment.range, encoder);
    encoder.U8(static_cast<uint8_t>(segment.protection));
  });
}

std::vector<SlabSegment> DecodeSegments(Decoder& decoder) {
  return DecodeList<SlabSegment>(decoder, kRangeSize + 1, [&] {
    SlabSegment segment;
    segment.range = DecodeRange(decoder);
    segment.protection = static_cast<Protection>(decoder.U8());
    if (segment.protection > Protection::kReadWrite) decoder.SetDamaged();
    return segment;
  });
}

void EncodeActions(absl::Span<const ExecutorAction> actions, Encoder& encoder) {
  EncodeList(actions, encoder, [&](const ExecutorAction& action) {
    EncodeAddress(action.function, encoder);
    EncodeAddress(action.argument, encoder);
  });
}

std::vector<ExecutorAction> DecodeActions(Decoder& decoder) {
  return DecodeList<ExecutorAction>(decoder, 2 * sizeof(uint64_t), [&] {
    ExecutorAction action;
    action.function = DecodeAddress(decoder);
    action.argument = DecodeAddress(decoder);
    return action;
  });
}

void EncodeAllocations(absl::Span<const PageMapper::AllocationId> allocations, Encoder& encoder) {
  EncodeList(allocations, encoder, [&](PageMapper::AllocationId id) { encoder.U64(id); });
}

std::vector<PageMapper::AllocationId> DecodeAllocations(Decoder& decoder) {
  return DecodeList<PageMapper::AllocationId>(decoder, sizeof(uint64_t),
                                              [&] { return decoder.U64(); });
}

// A status, and if that is OK, the value.
std::string EncodeAnswer(const absl::StatusOr<uint64_t>& answer) {
  Encoder encoder;
  EncodeStatus(answer.status(), encoder);
  if (answer.ok()) encoder.U64(*answer);
  return std::move(encoder).Take();
}

absl::StatusOr<uint64_t> DecodeAnswer(absl::string_view message) {
  Decoder decoder(message);
  const absl::Status status = DecodeStatus(decoder);
  const uint64_t value = status.ok() ? decoder.U64() : 0;
  if (!decoder.IsComplete()) {
    return absl::InternalError("code memory: the executing process answers what nobody asked");
  }
  if (!status.ok()) return status;
  return value;
}

}  // namespace firstcall

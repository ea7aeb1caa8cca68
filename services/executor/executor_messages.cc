#include "services/executor/executor_messages.h"

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

// Of elements that are two addresses.
template <typename T>
void EncodePairs(absl::Span<const T> list, ExecutorAddress T::*first, ExecutorAddress T::*second,
                 Encoder& encoder) {
  EncodeList(list, encoder, [&](const T& element) {
    EncodeAddress(element.*first, encoder);
    EncodeAddress(element.*second, encoder);
  });
}

template <typename T>
std::vector<T> DecodePairs(ExecutorAddress T::*first, ExecutorAddress T::*second,
                           Decoder& decoder) {
  return DecodeList<T>(decoder, 2 * sizeof(uint64_t), [&] {
    T element;
    element.*first = DecodeAddress(decoder);
    element.*second = DecodeAddress(decoder);
    return element;
  });
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
  EncodePairs(actions, &ExecutorAction::function, &ExecutorAction::argument, encoder);
}

std::vector<ExecutorAction> DecodeActions(Decoder& decoder) {
  return DecodePairs(&ExecutorAction::function, &ExecutorAction::argument, decoder);
}

void EncodeAllocations(absl::Span<const PageMapper::AllocationId> allocations, Encoder& encoder) {
  EncodeList(allocations, encoder, [&](PageMapper::AllocationId id) { encoder.U64(id); });
}

std::vector<PageMapper::AllocationId> DecodeAllocations(Decoder& decoder) {
  return DecodeList<PageMapper::AllocationId>(decoder, sizeof(uint64_t),
                                              [&] { return decoder.U64(); });
}

void EncodeTables(absl::Span<const UnwindTable> tables, Encoder& encoder) {
  EncodePairs(tables, &UnwindTable::table, &UnwindTable::code, encoder);
}

std::vector<UnwindTable> DecodeTables(Decoder& decoder) {
  return DecodePairs(&UnwindTable::table, &UnwindTable::code, decoder);
}

void EncodeTexts(absl::Span<const std::string> texts, Encoder& encoder) {
  EncodeList(texts, encoder, [&](const std::string& text) { encoder.String(text); });
}

std::vector<std::string> DecodeTexts(Decoder& decoder) {
  return DecodeList<std::string>(decoder, sizeof(uint32_t),
                                 [&] { return std::string(decoder.String()); });
}

absl::Status NoAnswer() {
  return absl::InternalError("code memory: the executing process answers what nobody asked");
}

// A status, and if that is OK, the bytes.
std::string EncodeAnswer(const absl::StatusOr<std::string>& answer) {
  Encoder encoder;
  EncodeStatus(answer.status(), encoder);
  if (answer.ok()) encoder.Raw(*answer);
  return std::move(encoder).Take();
}

absl::StatusOr<std::string> NumberAnswer(const absl::StatusOr<uint64_t>& number) {
  if (!number.ok()) return number.status();
  Encoder encoder;
  encoder.U64(*number);
  return std::move(encoder).Take();
}

absl::StatusOr<std::string> DecodeAnswer(absl::string_view message) {
  Decoder decoder(message);
  const absl::Status status = DecodeStatus(decoder);
  if (!decoder.ok() || (!status.ok() && !decoder.IsComplete())) return NoAnswer();
  if (!status.ok()) return status;
  return std::string(decoder.rest());
}

absl::StatusOr<uint64_t> DecodeNumber(const absl::StatusOr<std::string>& answer) {
  if (!answer.ok()) return answer.status();
  Decoder decoder(*answer);
  const uint64_t number = decoder.U64();
  if (!decoder.IsComplete()) return NoAnswer();
  return number;
}

}  // namespace firstcall

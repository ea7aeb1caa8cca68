#include "foreign/value_coding.h"

#include <cstring>
#include <utility>

#include "base/status.h"
#include "foreign/foreign_layout.h"

namespace firstcall {
namespace {

constexpr int kMostDepth = 100;
constexpr size_t kMostParts = 10000;

absl::Status Damaged() { return absl::InvalidArgumentError("a damaged type"); }

absl::StatusOr<ForeignType> DecodeType(Decoder& decoder, int depth, size_t& parts_left) {
  const uint8_t kind = decoder.U8();
  if (!decoder.ok() || kind > static_cast<uint8_t>(ForeignKind::kStruct) || depth == kMostDepth ||
      parts_left == 0) {
    return Damaged();
  }
  --parts_left;
  ForeignType type(static_cast<ForeignKind>(kind));
  if (type.kind != ForeignKind::kStruct) return type;
  const uint32_t fields = decoder.Count(/*least_size=*/1);
  if (!decoder.ok() || fields > parts_left) return Damaged();
  for (uint32_t i = 0; i < fields; ++i) {
    FIRSTCALL_ASSIGN_OR_RETURN(ForeignType field, DecodeType(decoder, depth + 1, parts_left));
    type.fields.push_back(std::move(field));
  }
  return type;
}

}  // namespace

void EncodeType(const ForeignType& type, Encoder& encoder) {
  encoder.U8(static_cast<uint8_t>(type.kind));
  if (type.kind != ForeignKind::kStruct) return;
  encoder.U32(static_cast<uint32_t>(type.fields.size()));
  for (const ForeignType& field : type.fields) EncodeType(field, encoder);
}

absl::StatusOr<ForeignType> DecodeType(Decoder& decoder) {
  size_t parts_left = kMostParts;
  return DecodeType(decoder, /*depth=*/0, parts_left);
}

void EncodeBytes(absl::Span<const ForeignValue> values, Encoder& encoder) {
  for (const ForeignValue& value : values) {
    encoder.Raw({static_cast<const char*>(value.bytes), LayoutOf(value.type).size});
  }
}

bool DecodedValues::Add(const ForeignType& type, Decoder& decoder) {
  const absl::string_view bytes = decoder.Raw(LayoutOf(type).size);
  if (!decoder.ok()) return false;
  AddZero(type);
  if (!bytes.empty()) std::memcpy(values_.back().bytes, bytes.data(), bytes.size());
  return true;
}

void DecodedValues::AddZero(const ForeignType& type) {
  constexpr size_t kUnit = sizeof(std::max_align_t);
  // One at least, so that there is a place.
  std::vector<std::max_align_t>& place =
      places_.emplace_back(AlignUp(LayoutOf(type).size, kUnit) / kUnit + 1);
  values_.push_back({type, place.data()});
}

void EncodeCall(const ForeignValue& result, absl::Span<const ForeignValue> arguments,
                Encoder& encoder) {
  EncodeType(result.type, encoder);
  encoder.U32(static_cast<uint32_t>(arguments.size()));
  for (const ForeignValue& argument : arguments) {
    EncodeType(argument.type, encoder);
    EncodeBytes({argument}, encoder);
  }
}

absl::StatusOr<DecodedCall> DecodeCall(Decoder& decoder) {
  DecodedCall call;
  FIRSTCALL_ASSIGN_OR_RETURN(const ForeignType result_type, DecodeType(decoder));
  call.result.AddZero(result_type);
  for (uint32_t left = decoder.Count(/*least_size=*/1); left > 0; --left) {
    FIRSTCALL_ASSIGN_OR_RETURN(const ForeignType type, DecodeType(decoder));
    if (!call.arguments.Add(type, decoder)) break;
  }
  if (!decoder.ok()) return absl::InvalidArgumentError("a damaged call");
  return call;
}

}  // namespace firstcall

#include "runtime/link/cached_object.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/coding.h"

namespace firstcall {
namespace {

// After the object come the description, its size and this mark.
constexpr uint32_t kMark = 0x34434643;  // "CFC4"
constexpr size_t kTrailerSize = 8;

constexpr uint32_t kNone = UINT32_MAX;

void EncodeOptional(std::optional<SymbolOrdinal> ordinal, Encoder& encoder) {
  encoder.U32(ordinal ? ordinal->value : kNone);
}

void EncodeAll(const std::vector<SymbolOrdinal>& ordinals, Encoder& encoder) {
  encoder.U32(static_cast<uint32_t>(ordinals.size()));
  for (SymbolOrdinal ordinal : ordinals) encoder.U32(ordinal.value);
}

// Reads ordinals and checks that they are valid.
class OrdinalDecoder {
 public:
  OrdinalDecoder(absl::string_view bytes, size_t symbol_count)
      : decoder_(bytes), symbol_count_(symbol_count) {}

  std::optional<SymbolOrdinal> Optional() {
    const uint32_t value = decoder_.U32();
    if (value == kNone) return std::nullopt;
    return Checked(value);
  }

  std::vector<SymbolOrdinal> All() {
    std::vector<SymbolOrdinal> ordinals(decoder_.Count(4));
    for (SymbolOrdinal& ordinal : ordinals) ordinal = Checked(decoder_.U32());
    return ordinals;
  }

  Decisions AllDecisions() {
    Decisions decisions(decoder_.Count(5));
    for (auto& [ordinal, answer] : decisions) {
      ordinal = Checked(decoder_.U32());
      answer = decoder_.U8() != 0;
    }
    return decisions;
  }

  std::vector<std::string> AllNames() {
    std::vector<std::string> names(decoder_.Count(4));
    for (std::string& name : names) name = std::string(decoder_.String());
    return names;
  }

  std::vector<HotnessSigns> AllHotnessSigns() {
    std::vector<HotnessSigns> all(decoder_.Count(1));
    for (HotnessSigns& signs : all) {
      const uint8_t value = decoder_.U8();
      if (value > static_cast<uint8_t>(HotnessSigns::kCallsOnly)) is_ok_ = false;
      signs = static_cast<HotnessSigns>(value);
    }
    return all;
  }

  uint32_t Number() { return decoder_.U32(); }
  bool ok() const { return is_ok_ && decoder_.ok() && decoder_.rest().empty(); }

 private:
  SymbolOrdinal Checked(uint32_t value) {
    if (value >= symbol_count_) is_ok_ = false;
    return SymbolOrdinal{value};
  }

  Decoder decoder_;
  const size_t symbol_count_;
  bool is_ok_ = true;
};

}  // namespace

bool AreStillTrue(const Decisions& decisions, IsReplaced is_replaced) {
  return std::all_of(decisions.begin(), decisions.end(), [&](const auto& decision) {
    return is_replaced(decision.first) == decision.second;
  });
}

bool DecisionRecorder::Ask(SymbolOrdinal ordinal) {
  decisions_.push_back({ordinal, is_replaced_(ordinal)});
  return decisions_.back().second;
}

Decisions InOrder(Decisions decisions) {
  std::sort(decisions.begin(), decisions.end());
  decisions.erase(std::unique(decisions.begin(), decisions.end()), decisions.end());
  return decisions;
}

size_t MostBytesOfDescription(const CachedObject& description) {
  size_t labels = 0;
  for (const std::string& label : description.labels) labels += 4 + label.size();
  return 64 + labels + 5 * description.functions.size() + 4 * description.variables.size() +
         4 * description.sources.size() + 5 * description.decisions.size();
}

std::string EncodeCachedObject(const CachedObject& description, absl::string_view object) {
  std::string bytes;
  bytes.reserve(object.size() + MostBytesOfDescription(description));
  bytes.append(object.data(), object.size());
  return AppendDescription(description, std::move(bytes));
}

std::string AppendDescription(const CachedObject& description, std::string object) {
  const size_t object_size = object.size();
  Encoder encoder(std::move(object));
  EncodeOptional(description.leader, encoder);
  EncodeOptional(description.host, encoder);
  EncodeAll(description.functions, encoder);
  encoder.U32(static_cast<uint32_t>(description.joined));
  EncodeAll(description.variables, encoder);
  encoder.U32(static_cast<uint32_t>(description.hotness_signs.size()));
  for (HotnessSigns signs : description.hotness_signs) encoder.U8(static_cast<uint8_t>(signs));
  EncodeAll(description.sources, encoder);
  encoder.U32(static_cast<uint32_t>(description.labels.size()));
  for (const std::string& label : description.labels) encoder.String(label);
  encoder.U32(static_cast<uint32_t>(description.decisions.size()));
  for (auto [ordinal, answer] : description.decisions) {
    encoder.U32(ordinal.value);
    encoder.U8(answer);
  }
  encoder.U32(static_cast<uint32_t>(encoder.bytes().size() - object_size));
  encoder.U32(kMark);
  return std::move(encoder).Take();
}

std::optional<CachedObject> DecodeCachedObject(ObjectBytes bytes, size_t symbol_count) {
  absl::string_view all = bytes;
  if (all.size() < kTrailerSize) return std::nullopt;
  Decoder trailer(all.substr(all.size() - kTrailerSize));
  all.remove_suffix(kTrailerSize);
  const uint32_t size = trailer.U32();
  if (trailer.U32() != kMark || size > all.size()) return std::nullopt;
  OrdinalDecoder decoder(all.substr(all.size() - size), symbol_count);
  CachedObject result;
  result.leader = decoder.Optional();
  result.host = decoder.Optional();
  result.functions = decoder.All();
  result.joined = decoder.Number();
  result.variables = decoder.All();
  result.hotness_signs = decoder.AllHotnessSigns();
  result.sources = decoder.All();
  result.labels = decoder.AllNames();
  result.decisions = decoder.AllDecisions();
  if (!decoder.ok() || result.joined > result.functions.size() ||
      (!result.hotness_signs.empty() && result.hotness_signs.size() != result.functions.size())) {
    return std::nullopt;
  }
  bytes.Truncate(all.size() - size);
  result.object = std::move(bytes);
  return result;
}

}  // namespace firstcall

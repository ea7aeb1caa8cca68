#include "services/server/object_pack.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "base/coding.h"
#include "base/content_digest.h"
#include "base/status.h"
#include "services/server/sealed_bytes.h"

namespace firstcall {
namespace {

constexpr uint32_t kMark = 0x31504643;  // "CFP1"
constexpr size_t kHeadSize = 8;         // The mark, and the number of entries.
constexpr size_t kEntrySize = 16;       // Of a line of the table behind them.
constexpr absl::string_view kSource = " source=";
constexpr size_t kDigestSize = 32;
constexpr auto kLastKind = static_cast<uint32_t>(ModulePart::Kind::kDebuggerStart);

}  // namespace

std::string PackKey(absl::string_view settings, absl::string_view signature) {
  Encoder encoder;
  encoder.String(settings);
  encoder.String(signature);
  return ContentDigest(encoder.bytes());
}

std::string SourceDigestOf(absl::string_view signature) {
  // What a client may add of its own comes later.
  const size_t at = signature.find(kSource);
  if (at == absl::string_view::npos) return "";
  const absl::string_view rest = signature.substr(at + kSource.size());
  const absl::string_view digits = rest.substr(0, 2 * kDigestSize);
  if (rest.size() <= digits.size() || rest[digits.size()] != ' ' ||
      !std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit)) {
    return "";
  }
  return absl::HexStringToBytes(digits);
}

// The mark, the number of entries; of each its part and size; then the entries' bytes.
std::string ObjectPack::Encode(const std::map<ModulePart, absl::string_view>& entries) {
  Encoder encoder;
  size_t size = kHeadSize + kEntrySize * entries.size();
  for (const auto& [part, bytes] : entries) size += bytes.size();
  encoder.Reserve(size);
  encoder.U32(kMark);
  encoder.U32(static_cast<uint32_t>(entries.size()));
  for (const auto& [part, bytes] : entries) {
    encoder.U32(static_cast<uint32_t>(part.kind));
    encoder.U32(part.ordinal.value);
    encoder.U32(part.loop);
    encoder.U32(static_cast<uint32_t>(bytes.size()));
  }
  for (const auto& [part, bytes] : entries) encoder.Raw(bytes);
  return std::move(encoder).Take();
}

absl::StatusOr<ObjectPack> ObjectPack::Read(const File& file) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<const FileContents> contents, MapSealedBytes(file));
  return Parse(std::move(contents));
}

absl::StatusOr<ObjectPack> ObjectPack::Parse(std::shared_ptr<const FileContents> contents) {
  const absl::Status damaged = absl::InvalidArgumentError("a damaged pack of objects");
  ObjectPack pack;
  pack.contents_ = std::move(contents);
  const absl::string_view bytes = pack.contents_->bytes();
  Decoder decoder(bytes);
  const bool is_pack = decoder.U32() == kMark;
  const uint64_t count = decoder.U32();
  if (!is_pack || count > bytes.size() / kEntrySize) return damaged;
  pack.entries_.reserve(count);
  uint64_t begin = kHeadSize + kEntrySize * count;
  for (uint64_t i = 0; i < count; ++i) {
    const uint32_t kind = decoder.U32();
    const SymbolOrdinal ordinal{decoder.U32()};
    const uint32_t loop = decoder.U32();
    const uint32_t entry_size = decoder.U32();
    if (kind > kLastKind || begin + entry_size > bytes.size()) return damaged;
    pack.entries_.emplace(ModulePart{static_cast<ModulePart::Kind>(kind), ordinal, loop},
                          Place{begin, entry_size});
    begin += entry_size;
  }
  if (!decoder.ok() || begin != bytes.size()) return damaged;
  return pack;
}

std::optional<ByteBuffer> ObjectPack::Find(ModulePart part) const {
  const auto found = entries_.find(part);
  if (found == entries_.end()) return std::nullopt;
  ByteBuffer bytes = ByteBuffer::Uninitialized(found->second.size);
  std::memcpy(bytes.data(), contents_->bytes().data() + found->second.begin, bytes.size());
  return bytes;
}

}  // namespace firstcall

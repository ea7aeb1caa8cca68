#include "remote/object_pack.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "base/content_digest.h"
#include "base/file_io.h"
#include "base/status.h"
#include "remote/sealed_bytes.h"

namespace firstcall {
namespace {

constexpr uint32_t kMark = 0x31504643;  // "CFP1"
constexpr size_t kHeadSize = 8;         // The mark, and the number of entries.
constexpr size_t kEntrySize = 16;       // Of a line of the table behind them.
constexpr auto kLastKind = static_cast<uint32_t>(ModulePart::Kind::kDebuggerStart);

}  // namespace

std::string PackKey(absl::string_view settings, absl::string_view signature) {
  Encoder encoder;
  encoder.String(settings);
  encoder.String(signature);
  return ContentDigest(encoder.bytes());
}

bool IsSignatureOf(absl::string_view signature, absl::string_view contents) {
  const std::string source =
      absl::StrCat(" source=", absl::BytesToHexString(ContentDigest(contents)), " ");
  // Before what a client may add of its own (engine/signature).
  const size_t at = signature.find(" source=");
  return at != absl::string_view::npos && absl::StartsWith(signature.substr(at), source);
}

// The mark, the number of entries; of each its part and size; then the entries' bytes.
std::string ObjectPack::Encode(const std::map<ModulePart, std::string>& entries) {
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

absl::StatusOr<ObjectPack> ObjectPack::Read(File file) {
  const absl::Status damaged = absl::InvalidArgumentError("a damaged pack of objects");
  FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t size, SizeOfSealedBytes(file));
  std::string head(kHeadSize, '\0');
  if (!ReadAt(file.number(), 0, head.data(), head.size()).ok()) return damaged;
  Decoder decoder(head);
  const bool is_pack = decoder.U32() == kMark;
  const uint64_t count = decoder.U32();
  if (!is_pack || count > size / kEntrySize) return damaged;
  std::string table(count * kEntrySize, '\0');
  if (!ReadAt(file.number(), kHeadSize, table.data(), table.size()).ok()) return damaged;
  ObjectPack pack;
  pack.entries_.reserve(count);
  Decoder entries(table);
  uint64_t begin = kHeadSize + table.size();
  for (uint64_t i = 0; i < count; ++i) {
    const uint32_t kind = entries.U32();
    const SymbolOrdinal ordinal{entries.U32()};
    const uint32_t loop = entries.U32();
    const uint32_t entry_size = entries.U32();
    if (kind > kLastKind || begin + entry_size > size) return damaged;
    pack.entries_.emplace(ModulePart{static_cast<ModulePart::Kind>(kind), ordinal, loop},
                          Place{begin, entry_size});
    begin += entry_size;
  }
  if (begin != size) return damaged;
  pack.file_ = std::make_unique<const KeptFile>(std::move(file));
  return pack;
}

std::optional<ByteBuffer> ObjectPack::Find(ModulePart part) const {
  auto found = entries_.find(part);
  if (found == entries_.end()) return std::nullopt;
  ByteBuffer bytes = ByteBuffer::Uninitialized(found->second.size);
  const absl::Status read =
      ReadAt(file_->number(), found->second.begin, bytes.data(), bytes.size());
  return read.ok() ? std::optional<ByteBuffer>(std::move(bytes)) : std::nullopt;
}

}  // namespace firstcall

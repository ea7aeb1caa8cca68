#include "remote/object_pack.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "llvm/Support/BLAKE3.h"

namespace firstcall {
namespace {

constexpr uint32_t kMark = 0x31504643;  // "CFP1"
constexpr auto kLastKind = static_cast<uint32_t>(ModulePart::Kind::kDebuggerStart);

std::string DigestOf(absl::string_view bytes) {
  const auto digest = llvm::BLAKE3::hash<32>(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  return std::string(reinterpret_cast<const char*>(digest.data()), digest.size());
}

}  // namespace

std::string PackKey(absl::string_view settings, absl::string_view signature) {
  Encoder encoder;
  encoder.String(settings);
  encoder.String(signature);
  return DigestOf(encoder.bytes());
}

bool IsSignatureOf(absl::string_view signature, absl::string_view contents) {
  const std::string source =
      absl::StrCat(" source=", absl::BytesToHexString(DigestOf(contents)), " ");
  // Before what a client may add of its own (engine/signature).
  const size_t at = signature.find(" source=");
  return at != absl::string_view::npos && absl::StartsWith(signature.substr(at), source);
}

// The mark, the number of entries; of each its part and size; then the entries' bytes.
std::string ObjectPack::Encode(const std::map<ModulePart, std::string>& entries) {
  Encoder encoder;
  size_t size = 8 + 16 * entries.size();
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

absl::StatusOr<ObjectPack> ObjectPack::Read(std::shared_ptr<const FileContents> bytes) {
  const absl::Status damaged = absl::InvalidArgumentError("a damaged pack of objects");
  Decoder decoder(bytes->bytes());
  if (decoder.U32() != kMark) return damaged;
  const uint32_t count = decoder.Count(16);
  Decoder contents(decoder.rest());
  contents.Raw(size_t{count} * 16);
  ObjectPack pack;
  pack.entries_.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t kind = decoder.U32();
    const SymbolOrdinal ordinal{decoder.U32()};
    const uint32_t loop = decoder.U32();
    const absl::string_view entry = contents.Raw(decoder.U32());
    if (!contents.ok() || kind > kLastKind) return damaged;
    pack.entries_.emplace(ModulePart{static_cast<ModulePart::Kind>(kind), ordinal, loop}, entry);
  }
  if (!decoder.ok() || !contents.rest().empty()) return damaged;
  pack.bytes_ = std::move(bytes);
  return pack;
}

std::optional<absl::string_view> ObjectPack::Find(ModulePart part) const {
  auto found = entries_.find(part);
  if (found == entries_.end()) return std::nullopt;
  return found->second;
}

}  // namespace firstcall

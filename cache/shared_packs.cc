#include "cache/shared_packs.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/coding.h"
#include "base/status.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SHA256.h"

namespace firstcall {
namespace {

using Kind = ModulePart::Kind;

// A new format of lists and packs gets another line, and so other names.
constexpr absl::string_view kFormat = "firstcall cache 1\n";
constexpr absl::string_view kPackWord = "pack ";
constexpr absl::string_view kTagWord = "tag ";
constexpr absl::string_view kListPlace = "#list";

constexpr absl::string_view kMagic = "FCSTART1";
constexpr absl::string_view kTablePlace = "#table";
constexpr size_t kTableEntrySize = 33;

constexpr absl::string_view kPackFolder = "cas/";
constexpr absl::string_view kListFolder = "ac/";
constexpr size_t kMostPacks = 2;

std::string Sha256Of(absl::string_view first, absl::string_view second = "") {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(first.data(), first.size()));
  hash.update(llvm::StringRef(second.data(), second.size()));
  const std::array<uint8_t, 32> digest = hash.final();
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

bool IsPackPath(absl::string_view path) {
  if (!absl::ConsumePrefix(&path, kPackFolder) || path.size() != 64) return false;
  return std::all_of(path.begin(), path.end(),
                     [](char c) { return ('0' <= c && c <= '9') || ('a' <= c && c <= 'f'); });
}

absl::Status NotOurs(const Seal& seal, absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat(what, seal.has_key() ? " was not written with this key" : " is damaged"));
}

// An entry, while packs are laid out: a new one, or one of the old packs.
struct Source {
  uint32_t age = 0;
  bool is_for_start = false;
  const EntryServer::NewEntry* added = nullptr;
  const PackTable::Entry* old = nullptr;

  size_t size() const { return added != nullptr ? added->sealed.size() : old->size; }
  bool is_of_old_rest() const { return added == nullptr && old->pack == 1; }
};

using Sources = std::map<ModulePart, Source>;

Sources Collect(const PackContents& old, const std::vector<EntryServer::NewEntry>& added,
                const absl::flat_hash_set<ModulePart>& used, const PackLimits& limits) {
  Sources sources;
  for (const PackTable::Entry& entry : old.table.entries) {
    const bool is_used = !entry.part.ages() || used.contains(entry.part);
    const uint32_t age = is_used ? 0 : entry.age + 1;
    if (age < limits.most_unused_writes)
      sources[entry.part] = {age, entry.is_for_start, nullptr, &entry};
  }
  for (const EntryServer::NewEntry& entry : added) {
    Source& source = sources[entry.part];
    source = {0, source.is_for_start || entry.is_for_start, &entry, nullptr};
  }
  return sources;
}

// The order in which entries get room in the start pack: the smaller, the sooner. Negative: it is
// not needed for a start.
int Urgency(ModulePart part, bool has_start, bool has_debugger_start) {
  switch (part.kind) {
    case Kind::kFunction:
      return has_start ? -1 : 1;
    case Kind::kDebuggerFunction:
      return has_debugger_start ? -1 : 2;
    case Kind::kDebuggerStart:
      return 2;
    case Kind::kOptimizedBody:
    case Kind::kContinuation:
      return 1;
    default:
      return 0;
  }
}

bool HasAny(const Sources& sources, Kind kind) {
  return std::any_of(sources.begin(), sources.end(),
                     [&](const auto& source) { return source.first.kind == kind; });
}

size_t SizeOfFunctions(const Sources& sources) {
  size_t size = 0;
  for (const auto& [part, source] : sources) {
    if (part.kind == Kind::kFunction || part.kind == Kind::kDebuggerFunction) size += source.size();
  }
  return size;
}

// Which entries are in the start pack. The table counts, too.
std::vector<ModulePart> ChooseForStart(const Sources& sources, const PackLimits& limits) {
  const size_t most_bytes = std::min(limits.most_start_bytes, limits.most_pack_bytes);
  const bool are_few = SizeOfFunctions(sources) <= limits.most_few_bytes;
  const bool has_start = !are_few && HasAny(sources, Kind::kStart);
  const bool has_debugger_start = !are_few && HasAny(sources, Kind::kDebuggerStart);
  size_t size = kMagic.size() + 4 + Seal::kTagSize + 4 + sources.size() * kTableEntrySize;
  std::vector<ModulePart> chosen;
  for (int urgency = 0; urgency <= 2; ++urgency) {
    for (const auto& [part, source] : sources) {
      const int own = source.is_for_start ? 1 : Urgency(part, has_start, has_debugger_start);
      if (own != urgency) continue;
      if (size + source.size() > most_bytes) continue;
      size += source.size();
      chosen.push_back(part);
    }
  }
  return chosen;
}

std::string EncodeTable(const Seal& seal, absl::string_view signature, const PackTable& table) {
  Encoder encoder;
  encoder.U32(static_cast<uint32_t>(table.entries.size()));
  for (const PackTable::Entry& entry : table.entries) {
    encoder.U32(static_cast<uint32_t>(entry.part.kind));
    encoder.U32(entry.part.ordinal.value);
    encoder.U32(entry.part.loop);
    encoder.U32(entry.age);
    encoder.U32(entry.pack);
    encoder.U8(entry.is_for_start ? 1 : 0);
    encoder.U64(entry.offset);
    encoder.U32(entry.size);
  }
  Encoder head;
  head.Raw(kMagic);
  head.String(seal.Close(signature, kTablePlace, encoder.bytes()));
  return std::move(head).Take();
}

}  // namespace

std::string PackPath(absl::string_view bytes) { return absl::StrCat(kPackFolder, Sha256Of(bytes)); }

std::string ListPath(absl::string_view signature) {
  return absl::StrCat(kListFolder, Sha256Of(kFormat, signature));
}

absl::StatusOr<PackList> PackList::Decode(const Seal& seal, absl::string_view signature,
                                          absl::string_view text) {
  PackList list;
  const size_t tag_line = text.rfind(kTagWord);
  if (!absl::StartsWith(text, kFormat) || tag_line == absl::string_view::npos) {
    return absl::DataLossError("a list of packs was not written by this version of firstcall");
  }
  const absl::string_view listed = text.substr(0, tag_line);
  const std::string tag = absl::BytesToHexString(seal.TagOf(signature, kListPlace, listed));
  if (text.substr(tag_line) != absl::StrCat(kTagWord, tag, "\n")) {
    return NotOurs(seal, "a list of packs");
  }
  for (absl::string_view line :
       absl::StrSplit(listed.substr(kFormat.size()), '\n', absl::SkipEmpty())) {
    Pack pack;
    const bool is_pack = absl::ConsumePrefix(&line, kPackWord);
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
    if (!is_pack || words.size() != 2 || !absl::SimpleAtoi(words[1], &pack.size)) {
      return absl::DataLossError("a list of packs is damaged");
    }
    pack.path = absl::StrCat(kPackFolder, words[0]);
    if (!IsPackPath(pack.path)) return absl::DataLossError("a list of packs is damaged");
    list.packs.push_back(std::move(pack));
  }
  if (list.packs.empty() || list.packs.size() > kMostPacks) {
    return absl::DataLossError("a list of packs is damaged");
  }
  return list;
}

std::string PackList::Encode(const Seal& seal, absl::string_view signature) const {
  std::string text(kFormat);
  for (const Pack& pack : packs) {
    absl::StrAppend(&text, kPackWord, absl::StripPrefix(pack.path, kPackFolder), " ", pack.size,
                    "\n");
  }
  absl::StrAppend(&text, kTagWord, absl::BytesToHexString(seal.TagOf(signature, kListPlace, text)),
                  "\n");
  return text;
}

absl::StatusOr<PackTable> PackTable::Decode(const Seal& seal, absl::string_view signature,
                                            const PackList& list, absl::string_view start) {
  Decoder head(start);
  const absl::string_view magic = head.Raw(kMagic.size());
  const absl::string_view sealed = head.String();
  if (!head.ok() || magic != kMagic) return absl::DataLossError("a pack is damaged");
  const std::optional<absl::string_view> bytes = seal.Open(signature, kTablePlace, sealed);
  if (!bytes) return NotOurs(seal, "a pack");
  Decoder decoder(*bytes);
  PackTable table;
  table.entries.resize(decoder.Count(kTableEntrySize));
  for (Entry& entry : table.entries) {
    entry.part.kind = static_cast<ModulePart::Kind>(decoder.U32());
    entry.part.ordinal.value = decoder.U32();
    entry.part.loop = decoder.U32();
    entry.age = decoder.U32();
    entry.pack = decoder.U32();
    entry.is_for_start = decoder.U8() != 0;
    entry.offset = decoder.U64();
    entry.size = decoder.U32();
    const uint64_t pack_size = entry.pack < list.packs.size() ? list.packs[entry.pack].size : 0;
    if (entry.offset > pack_size || entry.size > pack_size - entry.offset) decoder.SetDamaged();
  }
  if (!decoder.IsComplete()) return absl::DataLossError("a pack is damaged");
  return table;
}

absl::StatusOr<PackContents> Merge(const Seal& seal, absl::string_view signature,
                                   const PackContents& old,
                                   const std::vector<EntryServer::NewEntry>& added,
                                   const absl::flat_hash_set<ModulePart>& used,
                                   const PackLimits& limits) {
  const Sources sources = Collect(old, added, used, limits);
  const std::vector<ModulePart> for_start = ChooseForStart(sources, limits);
  const absl::flat_hash_set<ModulePart> is_for_start(for_start.begin(), for_start.end());

  // The second pack stays if it has all that is not for the start.
  bool has_rest = false, rest_stays = true, needs_old_rest = false;
  for (const auto& [part, source] : sources) {
    const bool is_rest = !is_for_start.contains(part);
    if (is_rest) has_rest = true;
    if (is_rest && !source.is_of_old_rest()) rest_stays = false;
    if (!is_rest && source.is_of_old_rest()) needs_old_rest = true;
  }
  for (const auto& [part, source] : sources) {
    if (!rest_stays && source.is_of_old_rest()) needs_old_rest = true;
  }
  if (needs_old_rest && !old.rest) {
    return absl::FailedPreconditionError("the second pack is not known");
  }
  const auto bytes_of = [&](const Source& source) -> absl::string_view {
    if (source.added != nullptr) return source.added->sealed;
    return source.old->In(source.old->pack == 0 ? absl::string_view(old.start) : *old.rest);
  };

  PackContents made;
  std::string rest;
  for (const auto& [part, source] : sources) {
    PackTable::Entry entry;
    entry.part = part;
    entry.age = source.age;
    entry.is_for_start = source.is_for_start;
    entry.size = static_cast<uint32_t>(source.size());
    if (!is_for_start.contains(part)) {
      entry.pack = 1;
      if (rest_stays) {
        entry.offset = source.old->offset;
      } else if (rest.size() + entry.size > limits.most_pack_bytes) {
        continue;
      } else {
        entry.offset = rest.size();
        const absl::string_view bytes = bytes_of(source);
        rest.append(bytes.data(), bytes.size());
      }
    }
    made.table.entries.push_back(entry);
  }
  // The table has the same size whatever the offsets are.
  uint64_t end = EncodeTable(seal, signature, made.table).size();
  for (PackTable::Entry& entry : made.table.entries) {
    if (entry.pack != 0) continue;
    entry.offset = end;
    end += entry.size;
  }
  made.start = EncodeTable(seal, signature, made.table);
  made.start.reserve(end);
  for (const PackTable::Entry& entry : made.table.entries) {
    if (entry.pack != 0) continue;
    const absl::string_view bytes = bytes_of(sources.at(entry.part));
    made.start.append(bytes.data(), bytes.size());
  }
  made.list.packs.push_back({PackPath(made.start), made.start.size()});
  if (rest_stays) {
    if (has_rest) made.list.packs.push_back(old.list.packs[1]);
  } else if (!rest.empty()) {
    made.list.packs.push_back({PackPath(rest), rest.size()});
    made.rest = std::move(rest);
  }
  return made;
}

}  // namespace firstcall

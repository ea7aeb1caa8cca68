#include "tests/fuzz/server_answers.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/coding.h"
#include "cache/pack_entries.h"
#include "cache/pack_server.h"
#include "cache/redis_protocol.h"
#include "cache/seal.h"
#include "cache/shared_cache.h"
#include "cache/shared_packs.h"

namespace firstcall::testing {
namespace {

using Kind = ModulePart::Kind;

constexpr char kSignature[] = "signature";
constexpr char kOtherSignature[] = "another signature";
constexpr char kKey[] = "the key";

ModulePart Part(Kind kind, uint32_t ordinal) { return {kind, SymbolOrdinal{ordinal}}; }

std::vector<ModulePart> Parts() {
  std::vector<ModulePart> parts = {Part(Kind::kIndex, 0), Part(Kind::kStart, 0)};
  for (uint32_t i = 0; i < 4; ++i) parts.push_back(Part(Kind::kFunction, i));
  parts.push_back(Part(Kind::kOptimizedBody, 1));
  return parts;
}

std::string ObjectOf(ModulePart part) { return absl::StrCat("the object of ", part.ToString()); }

// Two packs with all parts.
PackContents MakePacks(const Seal& seal, absl::string_view signature) {
  std::vector<EntryServer::NewEntry> entries;
  for (const ModulePart part : Parts()) {
    entries.push_back({part, seal.Close(signature, part.ToString(), ObjectOf(part))});
  }
  PackLimits limits;
  limits.most_few_bytes = 0;
  return Merge(seal, signature, {}, entries, {}, limits).value();
}

// Numbers and bytes from the input; zeros behind its end.
class Input {
 public:
  explicit Input(absl::string_view bytes) : left_(bytes) {}

  bool is_empty() const { return left_.empty(); }
  uint8_t Byte() {
    if (left_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }
  uint32_t Number() { return Byte() | static_cast<uint32_t>(Byte()) << 8; }
  absl::string_view Bytes(size_t size) {
    const absl::string_view taken = left_.substr(0, size);
    left_.remove_prefix(taken.size());
    return taken;
  }

 private:
  absl::string_view left_;
};

// Changes a few bytes.
void Edit(Input& input, std::string& bytes) {
  for (int edits = input.Byte() % 8; edits > 0 && !bytes.empty(); --edits) {
    const size_t at = input.Number() % bytes.size();
    switch (input.Byte() % 4) {
      case 0:
        bytes[at] = static_cast<char>(input.Byte());
        break;
      case 1:
        bytes.erase(at, 1 + input.Byte());
        break;
      case 2: {
        const absl::string_view inserted = input.Bytes(input.Byte());
        bytes.insert(at, inserted.data(), inserted.size());
        break;
      }
      default:
        // A large number, in the tables.
        for (size_t i = at; i < bytes.size() && i < at + 4; ++i) bytes[i] = '\xff';
        break;
    }
  }
}

// What a server says that keeps the three files of one signature, and sound ones of another.
class ForgedServer final : public PackServer {
 public:
  ForgedServer() : other(MakePacks(Seal(kKey), kOtherSignature)) {}

  std::string list, start, rest;
  const PackContents other;
  bool sends_start = false;
  bool sends_whole = false;
  std::string start_path;

  std::string ToString() const override { return "forged"; }
  std::vector<absl::StatusOr<std::optional<Found>>> FetchLists(
      absl::Span<const std::string> signatures, absl::Duration /*timeout*/) override {
    std::vector<absl::StatusOr<std::optional<Found>>> lists;
    for (const std::string& signature : signatures) {
      const bool is_other = signature == kOtherSignature;
      Found found;
      found.list = is_other ? other.list.Encode(Seal(kKey), kOtherSignature) : list;
      found.version = "version";
      if (sends_start) found.start = is_other ? other.start : start;
      lists.emplace_back(std::move(found));
    }
    return lists;
  }
  std::vector<absl::StatusOr<std::optional<std::string>>> FetchPacks(
      absl::Span<const Listed> packs, absl::Duration /*timeout*/) override {
    std::vector<absl::StatusOr<std::optional<std::string>>> all;
    for (const Listed& listed : packs) all.emplace_back(BytesOf(listed));
    return all;
  }
  absl::StatusOr<std::optional<std::string>> FetchRange(const Listed& listed, uint64_t offset,
                                                        uint64_t size,
                                                        absl::Duration /*timeout*/) override {
    if (sends_whole || offset > rest.size()) return BytesOf(listed);
    return std::optional<std::string>(rest.substr(offset, size));
  }
  absl::Status Replace(absl::string_view signature, Replacement replacement,
                       absl::Duration /*timeout*/) override {
    // What is written can be read.
    const absl::StatusOr<PackList> written =
        PackList::Decode(Seal(kKey), signature, replacement.list);
    if (!written.ok() ||
        !PackTable::Decode(Seal(kKey), signature, *written, replacement.start.bytes).ok()) {
      std::abort();
    }
    return absl::OkStatus();
  }

 private:
  std::optional<std::string> BytesOf(const Listed& listed) const {
    if (listed.signature == kOtherSignature) {
      return listed.pack.path == other.list.packs[0].path ? other.start : *other.rest;
    }
    return listed.pack.path == start_path ? start : rest;
  }
};

// The list's text with a right tag.
std::string Retagged(const Seal& seal, const std::string& list, Input& input) {
  std::string listed = list.substr(0, list.rfind("tag "));
  Edit(input, listed);
  return absl::StrCat(listed, "tag ",
                      absl::BytesToHexString(seal.TagOf(kSignature, "#list", listed)), "\n");
}

// The start pack with a changed table that has a right tag.
std::string Resealed(const Seal& seal, const std::string& start, Input& input) {
  Decoder decoder(start);
  const std::string magic(decoder.Raw(8));
  const std::string sealed(decoder.String());
  std::string table = sealed.substr(Seal::kTagSize);
  Edit(input, table);
  Encoder encoder;
  encoder.Raw(magic);
  encoder.String(seal.Close(kSignature, "#table", table));
  encoder.Raw(absl::string_view(start).substr(magic.size() + 4 + sealed.size()));
  return std::move(encoder).Take();
}

int TryPacks(Input& input, bool is_forged) {
  const Seal seal(kKey);
  const PackContents packs = MakePacks(seal, kSignature);
  auto server = std::make_unique<ForgedServer>();
  server->list = packs.list.Encode(seal, kSignature);
  server->start_path = packs.list.packs[0].path;
  server->start = packs.start;
  server->rest = *packs.rest;
  server->sends_start = input.Byte() % 2 == 0;
  server->sends_whole = input.Byte() % 2 == 0;
  if (is_forged) {
    server->start = Resealed(seal, server->start, input);
    // The list says what there is, unless that is changed, too.
    PackList list = packs.list;
    list.packs[0].size = server->start.size();
    // So that parts of it are fetched.
    if (input.Byte() % 2 == 0) list.packs[1].size = 2 << 20;
    server->list = Retagged(seal, list.Encode(seal, kSignature), input);
  } else {
    Edit(input, server->list);
    Edit(input, server->start);
    Edit(input, server->rest);
  }
  SharedCacheOptions options;
  options.key = kKey;
  options.budget = absl::Hours(1);
  SharedCache cache(options, std::make_unique<PackEntries>(std::move(server), kKey, 1 << 24));
  // What is fetched together with something damaged is found.
  const ModulePart index = Part(Kind::kIndex, 0);
  cache.Expect({{"a.bc", kSignature, index}, {"b.bc", kOtherSignature, index}});
  const std::optional<ObjectCache::Bytes> sound = cache.Find({"b.bc", kOtherSignature, index});
  if (!sound || absl::string_view(*sound) != ObjectOf(index)) std::abort();
  int found = 0;
  std::vector<ModulePart> parts = cache.PartsOf(kSignature);
  for (const ModulePart part : Parts()) parts.push_back(part);
  for (const ModulePart part : parts) {
    const std::optional<ObjectCache::Bytes> bytes = cache.Find({"a.bc", kSignature, part});
    if (!bytes) continue;
    ++found;
    if (absl::string_view(*bytes) != ObjectOf(part)) std::abort();
  }
  cache.Store({"a.bc", kSignature, Part(Kind::kFunction, 9)}, std::string("a new one"));
  cache.Store({"a.bc", kSignature, Part(Kind::kStart, 0)}, std::string("another"));
  cache.Flush();
  return found;
}

void TryReplies(Input& input) {
  RedisReplyReader reader(4096);
  const size_t step = 1 + input.Byte();
  while (!input.is_empty()) {
    if (!reader.Feed(input.Bytes(step)).ok()) return;
    while (true) {
      absl::StatusOr<std::optional<RedisReply>> reply = reader.Next();
      if (!reply.ok()) return;
      if (!*reply) break;
      if ((*reply)->is_error) (void)RedisRedirection::Parse(*(*reply)->text);
    }
  }
}

}  // namespace

int TryServerAnswers(absl::string_view bytes) {
  Input input(bytes);
  switch (input.Byte() % 4) {
    case 0:
      TryReplies(input);
      return 0;
    case 1:
      return TryPacks(input, /*is_forged=*/false);
    default:
      return TryPacks(input, /*is_forged=*/true);
  }
}

}  // namespace firstcall::testing

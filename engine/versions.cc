#include "engine/versions.h"

#include <utility>

namespace firstcall {
namespace {

constexpr ModulePart kBodiesPart{ModulePart::Kind::kBodies, SymbolOrdinal()};
constexpr ModulePart kLastVersionPart{ModulePart::Kind::kLastVersion, SymbolOrdinal()};

std::optional<EarlierVersion> Compare(ObjectCache& cache, absl::string_view module,
                                      absl::string_view signature, const BodyDigests& digests,
                                      const SymbolIndex& index) {
  const std::optional<ObjectCache::Bytes> bytes = cache.Find({module, signature, kBodiesPart});
  if (!bytes) return std::nullopt;
  const std::optional<BodyDigests> earlier = BodyDigests::Decode(*bytes, index.size());
  if (!earlier || earlier->frame != digests.frame) return std::nullopt;
  EarlierVersion version;
  version.signature = std::string(signature);
  version.has_same_body = digests.CompareWith(*earlier);
  // Data that contain addresses of blocks are compiled together with the functions.
  version.has_same_data = !index.has_groups();
  return version;
}

}  // namespace

std::optional<EarlierVersion> ReplaceLastVersion(ObjectCache& cache, const Version& version,
                                                 const BodyDigests& digests,
                                                 const SymbolIndex& index) {
  const ObjectKey last = {version.module, version.frame_signature, kLastVersionPart};
  std::optional<ObjectCache::Bytes> earlier = cache.Find(last);
  cache.Store({version.module, version.signature, kBodiesPart}, digests.Encode());
  cache.Store(last, std::string(version.signature));
  if (!earlier || absl::string_view(*earlier) == version.signature) return std::nullopt;
  return Compare(cache, version.module, *earlier, digests, index);
}

}  // namespace firstcall

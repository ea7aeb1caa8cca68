// Versions of a source module in a cache. A module that was changed has another signature, so none
// of its objects are in the cache; but those of an earlier version may be, and most of its
// functions may be the same.
//
// Thread-safe: pure functions. Tested in tests/api/earlier_version_test.cc.

#ifndef FIRSTCALL_ENGINE_VERSIONS_H_
#define FIRSTCALL_ENGINE_VERSIONS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "cache/object_cache.h"
#include "runtime/link/module_cache.h"
#include "seam/body_digests.h"
#include "seam/symbol_index.h"

namespace firstcall {

// Below this number of functions, compiling them again costs less than the bookkeeping.
inline constexpr size_t kFewestFunctionsOfVersions = 8;

struct Version {
  absl::string_view module;     // Its name.
  absl::string_view signature;  // Its own, by which `cache` has its objects.
  // The signature with the digest of the frame in place of that of the contents.
  std::string frame_signature;
};

// Keeps in `cache` what later versions need to know of this one, and returns the version that was
// the last one with the same frame until now; nothing if there was none, or it was this one.
std::optional<EarlierVersion> ReplaceLastVersion(ObjectCache& cache, const Version& version,
                                                 const BodyDigests& digests,
                                                 const SymbolIndex& index);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_VERSIONS_H_

// The client's object cache as one source module sees it.
//
// Thread-safe after SetEarlierVersion. Tested in tests/api/cache_test.cc and
// tests/api/earlier_version_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_MODULE_CACHE_H_
#define FIRSTCALL_RUNTIME_LINK_MODULE_CACHE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "cache/object_cache.h"
#include "runtime/link/cached_object.h"
#include "seam/identification.h"

namespace firstcall {

// A version of the module before a change of some of its functions, whose objects are in the cache.
struct EarlierVersion {
  std::string signature;
  // For each symbol, whether its body is the same.
  std::vector<bool> has_same_body;
  // Whether its data are the same, too.
  bool has_same_data = false;
};

class ModuleCache {
 public:
  // `cache` must outlive this object. `signature` is that of the module and the options.
  ModuleCache(ObjectCache& cache, std::string module, std::string signature)
      : cache_(cache), module_(std::move(module)), signature_(std::move(signature)) {}

  const std::string& signature() const { return signature_; }

  // See ObjectCache::keeps.
  bool keeps() const { return cache_.keeps(); }

  // From now on, FindObject looks among the objects of `version`, too, for those that contain only
  // bodies that are the same, and keeps them. Call it before the module is used.
  void SetEarlierVersion(EarlierVersion version) { earlier_ = std::move(version); }

  // Returns the entry that was stored for `part`. FindObject decodes an entry that
  // EncodeCachedObject made, for a module of `symbol_count` symbols.
  std::optional<CachedObject> FindObject(ModulePart part, size_t symbol_count);
  std::optional<ObjectBytes> Find(ModulePart part) {
    return cache_.Find({module_, signature_, part});
  }

  // See ObjectCache::Has.
  bool Has(ModulePart part);

  void Store(ModulePart part, ObjectBytes bytes) {
    cache_.Store({module_, signature_, part}, std::move(bytes));
  }

  // The same for the object of a module that is compiled whole, which has a longer signature.
  std::optional<ObjectBytes> FindWhole(absl::string_view signature) {
    return cache_.Find({module_, signature, ModulePart()});
  }
  void StoreWhole(absl::string_view signature, ObjectBytes object) {
    cache_.Store({module_, signature, ModulePart()}, std::move(object));
  }

  // The identification to be put into an object that is made for `part`.
  Identification IdentificationOf(ModulePart part) const { return {part.ToString(), signature_}; }

 private:
  std::optional<CachedObject> FindEarlier(ModulePart part, size_t symbol_count);

  ObjectCache& cache_;
  const std::string module_;
  const std::string signature_;
  std::optional<EarlierVersion> earlier_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_MODULE_CACHE_H_

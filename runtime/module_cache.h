// The client's object cache as one source module sees it.
//
// Thread-safe. Tested in tests/api/cache_test.cc.

#ifndef FIRSTCALL_RUNTIME_MODULE_CACHE_H_
#define FIRSTCALL_RUNTIME_MODULE_CACHE_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "cache/object_cache.h"
#include "code/identification.h"
#include "runtime/cached_object.h"

namespace firstcall {

class ModuleCache {
 public:
  // `cache` must outlive this object. `signature` is that of the module and the options.
  ModuleCache(ObjectCache& cache, std::string module, std::string signature)
      : cache_(cache), module_(std::move(module)), signature_(std::move(signature)) {}

  const std::string& signature() const { return signature_; }

  // Returns the entry that was stored for `part`. FindObject decodes an entry that
  // EncodeCachedObject made, for a module of `symbol_count` symbols.
  std::optional<CachedObject> FindObject(ModulePart part, size_t symbol_count) {
    std::optional<ObjectBytes> found = Find(part);
    if (!found) return std::nullopt;
    return DecodeCachedObject(*std::move(found), symbol_count);
  }
  std::optional<ObjectBytes> Find(ModulePart part) {
    return cache_.Find({module_, signature_, part});
  }

  // See ObjectCache::Has.
  bool Has(ModulePart part) { return cache_.Has({module_, signature_, part}); }

  void Store(ModulePart part, absl::string_view bytes) {
    cache_.Store({module_, signature_, part}, bytes);
  }

  // The same for the object of a module that is compiled whole, which has a longer signature.
  std::optional<ObjectBytes> FindWhole(absl::string_view signature) {
    return cache_.Find({module_, signature, ModulePart()});
  }
  void StoreWhole(absl::string_view signature, absl::string_view object) {
    cache_.Store({module_, signature, ModulePart()}, object);
  }

  // The identification to be put into an object that is made for `part`.
  Identification IdentificationOf(ModulePart part) const { return {part.ToString(), signature_}; }

 private:
  ObjectCache& cache_;
  const std::string module_;
  const std::string signature_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_MODULE_CACHE_H_

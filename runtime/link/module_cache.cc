#include "runtime/link/module_cache.h"

#include <algorithm>

namespace firstcall {
namespace {

// Whether objects of an earlier version can be used for `part`. Its index and its entry point are
// read again, with the module, and its start object has functions that were changed.
bool IsOfEarlierVersions(ModulePart part, const EarlierVersion& version) {
  switch (part.kind) {
    case ModulePart::Kind::kFunction:
    case ModulePart::Kind::kOptimizedBody:
    case ModulePart::Kind::kContinuation:
      return true;
    case ModulePart::Kind::kData:
      return version.has_same_data;
    default:
      return false;
  }
}

}  // namespace

std::optional<CachedObject> ModuleCache::FindObject(ModulePart part, size_t symbol_count) {
  if (std::optional<ObjectBytes> found = Find(part)) {
    return DecodeCachedObject(*std::move(found), symbol_count);
  }
  return FindEarlier(part, symbol_count);
}

bool ModuleCache::Has(ModulePart part) {
  if (cache_.Has({module_, signature_, part})) return true;
  return earlier_ && IsOfEarlierVersions(part, *earlier_) &&
         cache_.Has({module_, earlier_->signature, part});
}

std::optional<CachedObject> ModuleCache::FindEarlier(ModulePart part, size_t symbol_count) {
  if (!earlier_ || !IsOfEarlierVersions(part, *earlier_)) return std::nullopt;
  std::optional<ObjectBytes> bytes = cache_.Find({module_, earlier_->signature, part});
  if (!bytes) return std::nullopt;
  ObjectBytes entry = *bytes;
  std::optional<CachedObject> found = DecodeCachedObject(*std::move(bytes), symbol_count);
  if (!found) return std::nullopt;
  const auto is_same = [&](SymbolOrdinal function) {
    return earlier_->has_same_body[function.value];
  };
  // A function that has no object of its own may have joined another one because of its body.
  const bool needs_own_body = part.kind == ModulePart::Kind::kFunction;
  if ((needs_own_body && !is_same(part.ordinal)) ||
      !std::all_of(found->sources.begin(), found->sources.end(), is_same)) {
    return std::nullopt;
  }
  Store(part, std::move(entry));
  return found;
}

}  // namespace firstcall

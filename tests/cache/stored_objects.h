// What the tests of caches store and find: objects of one module, by function and signature.

#ifndef FIRSTCALL_TESTS_CACHE_STORED_OBJECTS_H_
#define FIRSTCALL_TESTS_CACHE_STORED_OBJECTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cache/object_cache.h"

namespace firstcall {

inline ModulePart Function(uint32_t ordinal) {
  return {ModulePart::Kind::kFunction, SymbolOrdinal{ordinal}};
}

inline ModulePart OptimizedBody(uint32_t ordinal) {
  return {ModulePart::Kind::kOptimizedBody, SymbolOrdinal{ordinal}};
}

inline ModulePart Continuation(uint32_t ordinal, uint32_t loop) {
  return {ModulePart::Kind::kContinuation, SymbolOrdinal{ordinal}, loop};
}

inline bool Has(ObjectCache& cache, ModulePart part) {
  return cache.Has({"a.bc", "signature", part});
}

// The object's bytes, or "(none)".
inline std::string Find(ObjectCache& cache, ModulePart part,
                        absl::string_view signature = "signature") {
  std::optional<ObjectCache::Bytes> found = cache.Find({"a.bc", signature, part});
  return std::string(found.value_or("(none)"));
}

inline void Store(ObjectCache& cache, ModulePart part, absl::string_view object,
                  absl::string_view signature = "signature") {
  cache.Store({"a.bc", signature, part}, std::string(object));
}

// As an engine that is about to look for these modules.
inline void Expect(ObjectCache& cache, const std::vector<std::string>& signatures,
                   ModulePart part = Function(1)) {
  std::vector<ObjectKey> keys;
  for (const std::string& signature : signatures) keys.push_back({"a.bc", signature, part});
  cache.Expect(keys);
}

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_CACHE_STORED_OBJECTS_H_

// The optimized bodies and OSR continuations in the caches of their modules: finds those that are
// valid now, and keeps those that were made.
//
// An entry has the form of runtime/link/cached_object.h, with the function as its only one. An
// entry may be used if each weak definition that was asked about when the entry was made gives way
// now if and only if it gave way then. All else that the code depends on is in the signature of the
// module.
//
// Thread-safe: has no state of its own. Does not block, except where the cache does. Tested in
// tests/api/optimized_cache_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_OPTIMIZED_CACHE_H_
#define FIRSTCALL_RUNTIME_LINK_OPTIMIZED_CACHE_H_

#include <cstdint>
#include <optional>

#include "object/object_bytes.h"
#include "runtime/link/cached_object.h"
#include "runtime/link/function_linker.h"
#include "runtime/link/function_table.h"
#include "runtime/link/symbol_resolver.h"
#include "seam/compiler.h"
#include "seam/identification.h"

namespace firstcall {

class OptimizedCache {
 public:
  // Both must outlive this.
  OptimizedCache(const SymbolResolver& resolver, const FunctionLinker& linker)
      : resolver_(resolver), linker_(linker) {}

  // Returns the object of the function's optimized body, or, with `loop`, of its continuation at
  // this loop. Nullopt if the cache has none, or one that is not valid now.
  std::optional<ObjectBytes> Find(FunctionKey key, std::optional<uint32_t> loop) const;

  // Whether the cache has an optimized body of the function, or, with `loop`, its continuation at
  // this loop. What it has may turn out not to be valid.
  bool Has(FunctionKey key, std::optional<uint32_t> loop) const;

  // Keeps an object that was compiled now, with the answers about weak definitions that it was
  // compiled with. `is_far` is as in OptimizationOrder.
  void Store(FunctionKey key, std::optional<uint32_t> loop, bool is_far, Decisions decisions,
             const CompiledObject& object) const;

  // What such an object says about itself; nullopt if the module has no cache.
  std::optional<Identification> IdentificationOf(FunctionKey key,
                                                 std::optional<uint32_t> loop) const;

 private:
  bool IsUsable(FunctionKey key) const;

  const SymbolResolver& resolver_;
  const FunctionLinker& linker_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_OPTIMIZED_CACHE_H_

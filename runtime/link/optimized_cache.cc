#include "runtime/link/optimized_cache.h"

#include <utility>
#include <vector>

namespace firstcall {
namespace {

ModulePart PartOf(SymbolOrdinal function, std::optional<uint32_t> loop) {
  ModulePart part;
  part.kind = loop ? ModulePart::Kind::kContinuation : ModulePart::Kind::kOptimizedBody;
  part.ordinal = function;
  part.loop = loop.value_or(0);
  return part;
}

}  // namespace

// The cache has objects for the module as it was when it was added.
bool OptimizedCache::IsUsable(FunctionKey key) const {
  return key.module->cache() != nullptr && linker_.IsFar(*key.module) == key.module->is_far();
}

std::optional<ObjectBytes> OptimizedCache::Find(FunctionKey key,
                                                std::optional<uint32_t> loop) const {
  if (!IsUsable(key)) return std::nullopt;
  const SourceModule& module = *key.module;
  std::optional<CachedObject> found =
      module.cache()->FindObject(PartOf(key.ordinal, loop), module.index().size());
  if (!found || found->object.empty() || found->functions != std::vector{key.ordinal} ||
      !AreStillTrue(found->decisions,
                    [&](SymbolOrdinal ordinal) { return resolver_.IsReplaced(module, ordinal); })) {
    return std::nullopt;
  }
  return std::move(found->object);
}

bool OptimizedCache::Has(FunctionKey key, std::optional<uint32_t> loop) const {
  return IsUsable(key) && key.module->cache()->Has(PartOf(key.ordinal, loop));
}

void OptimizedCache::Store(FunctionKey key, std::optional<uint32_t> loop, bool is_far,
                           Decisions decisions, const CompiledObject& object) const {
  if (key.module->cache() == nullptr || is_far != key.module->is_far()) return;
  CachedObject description;
  description.functions = {key.ordinal};
  description.joined = 1;
  description.sources = object.sources;
  description.decisions = std::move(decisions);
  key.module->cache()->Store(PartOf(key.ordinal, loop),
                             EncodeCachedObject(description, object.bytes));
}

std::optional<Identification> OptimizedCache::IdentificationOf(FunctionKey key,
                                                               std::optional<uint32_t> loop) const {
  if (key.module->cache() == nullptr) return std::nullopt;
  return key.module->cache()->IdentificationOf(PartOf(key.ordinal, loop));
}

}  // namespace firstcall

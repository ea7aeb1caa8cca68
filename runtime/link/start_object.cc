#include "runtime/link/start_object.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "object/object_merger.h"

namespace firstcall {
namespace {

// With fewer, making a start object takes longer than it saves.
constexpr size_t kFewestFunctions = 8;
constexpr size_t kMostBytes = size_t{64} << 20;

// Adds objects and their descriptions to those of one object.
class Collector {
 public:
  void Add(CachedObject cached) {
    // What is inseparable is published together, which a part of an object cannot be. Labels are
    // known when their function's object is loaded.
    if (cached.leader || cached.host || cached.joined > 1 || !cached.variables.empty() ||
        !cached.labels.empty()) {
      return;
    }
    const size_t size = cached.object.size();
    if (size == 0 || bytes_ + size > kMostBytes || !merger_.Add(std::move(cached.object))) return;
    bytes_ += size;
    for (size_t i = 0; i < cached.functions.size(); ++i) {
      // Another object has published it: the definition here is only for its own object.
      if (!known_.insert(cached.functions[i]).second) continue;
      merged_.functions.push_back(cached.functions[i]);
      merged_.hotness_signs.push_back(cached.hotness_signs.empty() ? HotnessSigns::kNone
                                                                   : cached.hotness_signs[i]);
    }
    merged_.decisions.insert(merged_.decisions.end(), cached.decisions.begin(),
                             cached.decisions.end());
  }

  bool Has(SymbolOrdinal function) const { return known_.contains(function); }
  bool is_empty() const { return merged_.functions.empty(); }

  std::string Finish() && {
    std::sort(merged_.decisions.begin(), merged_.decisions.end());
    merged_.decisions.erase(std::unique(merged_.decisions.begin(), merged_.decisions.end()),
                            merged_.decisions.end());
    return AppendDescription(merged_, merger_.Finish(MostBytesOfDescription(merged_)));
  }

 private:
  ObjectMerger merger_;
  CachedObject merged_;
  absl::flat_hash_set<SymbolOrdinal> known_;
  size_t bytes_ = 0;
};

}  // namespace

ModulePart StartObject::part() const {
  return {functions_ == ModulePart::Kind::kDebuggerFunction ? ModulePart::Kind::kDebuggerStart
                                                            : ModulePart::Kind::kStart,
          SymbolOrdinal()};
}

std::optional<CachedObject> StartObject::TakeFor(SymbolOrdinal function) {
  absl::MutexLock lock(&mutex_);
  if (!std::exchange(is_read_, true)) waiting_ = cache_.FindObject(part(), symbol_count_);
  if (!waiting_) return std::nullopt;
  const std::vector<SymbolOrdinal>& functions = waiting_->functions;
  if (std::find(functions.begin(), functions.end(), function) == functions.end()) {
    return std::nullopt;
  }
  return std::exchange(waiting_, std::nullopt);
}

void StartObject::NoteUsed(SymbolOrdinal function) {
  absl::MutexLock lock(&mutex_);
  used_.push_back(function);
}

void StartObject::Store(IsReplaced is_replaced) {
  StoreWhere([&](const Decisions& decisions) { return AreStillTrue(decisions, is_replaced); });
}

void StartObject::Store(absl::flat_hash_map<SymbolOrdinal, bool> known) {
  StoreWhere([&](const Decisions& decisions) {
    const bool is_consistent =
        std::all_of(decisions.begin(), decisions.end(), [&](const auto& decision) {
          const auto found = known.find(decision.first);
          return found == known.end() || found->second == decision.second;
        });
    if (is_consistent) known.insert(decisions.begin(), decisions.end());
    return is_consistent;
  });
}

void StartObject::StoreWhere(absl::FunctionRef<bool(const Decisions& decisions)> hold) {
  std::vector<SymbolOrdinal> used;
  {
    absl::MutexLock lock(&mutex_);
    used.swap(used_);
  }
  if (used.size() < kFewestFunctions) return;
  Collector collector;
  // What was made when other definitions counted is left out, because the whole object is used or
  // nothing of it.
  const auto add = [&](std::optional<CachedObject> cached) {
    if (cached && hold(cached->decisions)) collector.Add(*std::move(cached));
  };
  add(cache_.FindObject(part(), symbol_count_));
  // In one order, so that two runs make the same object.
  std::sort(used.begin(), used.end());
  for (SymbolOrdinal function : used) {
    if (collector.Has(function)) continue;
    add(cache_.FindObject({functions_, function}, symbol_count_));
  }
  if (!collector.is_empty()) cache_.Store(part(), std::move(collector).Finish());
}

}  // namespace firstcall

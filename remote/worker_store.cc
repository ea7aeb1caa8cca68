#include "remote/worker_store.h"

#include <optional>
#include <utility>

#include "runtime/module_cache.h"
#include "runtime/start_object.h"

namespace firstcall {
namespace {

constexpr ModulePart kIndexPart{ModulePart::Kind::kIndex, SymbolOrdinal()};
constexpr ModulePart kDataPart{ModulePart::Kind::kData, SymbolOrdinal()};

// The entries of one module as a cache. Thread-compatible.
class EntriesCache final : public ObjectCache {
 public:
  explicit EntriesCache(std::map<ModulePart, std::string>& entries) : entries_(entries) {}

  std::optional<Bytes> Find(const ObjectKey& key) override {
    auto found = entries_.find(key.part);
    if (found == entries_.end()) return std::nullopt;
    return Bytes(found->second);
  }
  void Store(const ObjectKey& key, Bytes object) override {
    entries_[key.part] = std::string(object);
  }

 private:
  std::map<ModulePart, std::string>& entries_;
};

}  // namespace

void WorkerStore::Add(ModuleId module, std::shared_ptr<const SymbolIndex> index) {
  absl::MutexLock lock(&mutex_);
  modules_[module].index = std::move(index);
}

void WorkerStore::Remove(ModuleId module) {
  absl::MutexLock lock(&mutex_);
  modules_.erase(module);
}

// What a debugger causes to be compiled together is not for others.
WorkerStore::Module* WorkerStore::ModuleFor(const OrderValues& order, ModulePart part) {
  if (!order.identification || order.identification->part != part.ToString()) return nullptr;
  auto found = modules_.find(order.module);
  if (found == modules_.end()) return nullptr;
  Module& module = found->second;
  if (module.signature.empty()) {
    module.signature = order.identification->signature;
    module.entries[kIndexPart] = module.index->Encode();
  }
  if (module.signature != order.identification->signature) return nullptr;
  module.has_news = true;
  return &module;
}

void WorkerStore::Keep(const OrderValues& order, const CompiledFunction& function,
                       Decisions decisions, const std::vector<SymbolOrdinal>& joined) {
  const ModulePart part{ModulePart::Kind::kFunction, order.function};
  absl::MutexLock lock(&mutex_);
  Module* const module = ModuleFor(order, part);
  if (module == nullptr) return;
  CachedObject description;
  description.leader = function.leader;
  description.functions = function.functions;
  description.joined = function.functions.size() - joined.size();
  description.variables = function.variables;
  description.hotness_signs = function.hotness_signs;
  description.sources = function.object.sources;
  description.labels = function.labels;
  description.decisions = std::move(decisions);
  module->entries[part] = EncodeCachedObject(description, function.object.bytes);
  module->used.push_back(order.function);
  CachedObject reference;
  reference.host = order.function;
  for (SymbolOrdinal other : joined) {
    module->entries[{ModulePart::Kind::kFunction, other}] = EncodeCachedObject(reference, "");
  }
}

void WorkerStore::KeepData(const OrderValues& order, const CompiledObject& object,
                           Decisions decisions) {
  absl::MutexLock lock(&mutex_);
  Module* const module = ModuleFor(order, kDataPart);
  if (module == nullptr) return;
  CachedObject description;
  description.decisions = std::move(decisions);
  module->entries[kDataPart] = EncodeCachedObject(description, object.bytes);
}

// No order comes with it, so it is kept once one has told the signature.
void WorkerStore::KeepEntryPoint(ModuleId id, SymbolOrdinal function, const EntryPoint& entry) {
  absl::MutexLock lock(&mutex_);
  auto found = modules_.find(id);
  if (found == modules_.end()) return;
  found->second.entries[{ModulePart::Kind::kEntryPoint, function}] = entry.Encode();
}

bool WorkerStore::has_news() const {
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, module] : modules_) {
    if (module.has_news) return true;
  }
  return false;
}

void WorkerStore::AddStartObject(Module& module) {
  EntriesCache cache(module.entries);
  ModuleCache module_cache(cache, "", module.signature);
  StartObject start(ModulePart::Kind::kFunction, module_cache, module.index->size());
  for (SymbolOrdinal function : module.used) start.NoteUsed(function);
  start.Store();
}

std::vector<WorkerStore::News> WorkerStore::Take(
    absl::FunctionRef<std::unique_ptr<ObjectPack>(absl::string_view signature)> known) {
  std::vector<News> news;
  absl::MutexLock lock(&mutex_);
  for (auto& [id, module] : modules_) {
    if (!std::exchange(module.has_news, false)) continue;
    if (const std::unique_ptr<ObjectPack> before = known(module.signature)) {
      for (const auto& [part, place] : before->entries()) {
        if (module.entries.count(part) != 0) continue;
        if (std::optional<ByteBuffer> entry = before->Find(part)) {
          module.entries.emplace(part, std::string(*entry));
        }
      }
    }
    AddStartObject(module);
    news.push_back({id, module.signature, ObjectPack::Encode(module.entries)});
  }
  return news;
}

}  // namespace firstcall

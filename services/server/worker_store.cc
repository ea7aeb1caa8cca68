#include "services/server/worker_store.h"

#include <optional>
#include <utility>

#include "runtime/link/module_cache.h"
#include "runtime/link/start_object.h"

namespace firstcall {
namespace {

constexpr ModulePart kIndexPart{ModulePart::Kind::kIndex, SymbolOrdinal()};
constexpr ModulePart kDataPart{ModulePart::Kind::kData, SymbolOrdinal()};
constexpr ModulePart kStartPart{ModulePart::Kind::kStart, SymbolOrdinal()};

// What a debugger causes to be compiled together is not for others.
bool IsForOthers(const OrderValues& order, ModulePart part) {
  return order.identification && order.identification->part == part.ToString();
}

}  // namespace

// The entries of one module as a cache. Thread-compatible.
class WorkerStore::EntriesCache final : public ObjectCache {
 public:
  explicit EntriesCache(Entries& entries) : entries_(entries) {}

  std::optional<Bytes> Find(const ObjectKey& key) override {
    const auto found = entries_.find(key.part);
    if (found == entries_.end()) return std::nullopt;
    return Bytes(*found->second);
  }
  void Store(const ObjectKey& key, Bytes object) override {
    entries_[key.part] = std::make_shared<const std::string>(object);
  }

 private:
  Entries& entries_;
};

void WorkerStore::Add(ModuleId module, std::shared_ptr<const SymbolIndex> index) {
  absl::MutexLock lock(&mutex_);
  modules_[module].index = std::move(index);
}

void WorkerStore::Remove(ModuleId module) {
  absl::MutexLock lock(&mutex_);
  modules_.erase(module);
}

WorkerStore::Module* WorkerStore::ModuleFor(const OrderValues& order, const Decisions& decisions) {
  const auto found = modules_.find(order.module);
  if (found == modules_.end()) return nullptr;
  Module& module = found->second;
  const std::string& signature = order.identification->signature;
  if (module.signature.empty()) module.signature = signature;
  if (module.signature != signature) return nullptr;
  for (const auto& [definition, gives_way] : decisions) module.decided[definition] = gives_way;
  module.has_news = true;
  return &module;
}

void WorkerStore::Keep(const OrderValues& order, const CompiledFunction& function,
                       Decisions decisions, const std::vector<SymbolOrdinal>& joined) {
  const ModulePart part{ModulePart::Kind::kFunction, order.function};
  if (!IsForOthers(order, part)) return;
  CachedObject description;
  description.leader = function.leader;
  description.functions = function.functions;
  description.joined = function.functions.size() - joined.size();
  description.variables = function.variables;
  description.hotness_signs = function.hotness_signs;
  description.sources = function.object.sources;
  description.labels = function.labels;
  description.decisions = std::move(decisions);
  const Entry entry =
      std::make_shared<const std::string>(EncodeCachedObject(description, function.object.bytes));
  CachedObject reference;
  reference.host = order.function;
  const Entry to_host = std::make_shared<const std::string>(EncodeCachedObject(reference, ""));
  absl::MutexLock lock(&mutex_);
  Module* const module = ModuleFor(order, description.decisions);
  if (module == nullptr) return;
  module->entries[part] = entry;
  module->used.push_back(order.function);
  for (SymbolOrdinal other : joined) {
    module->entries[{ModulePart::Kind::kFunction, other}] = to_host;
  }
}

void WorkerStore::KeepData(const OrderValues& order, const CompiledObject& object,
                           Decisions decisions) {
  if (!IsForOthers(order, kDataPart)) return;
  CachedObject description;
  description.decisions = std::move(decisions);
  const Entry entry =
      std::make_shared<const std::string>(EncodeCachedObject(description, object.bytes));
  absl::MutexLock lock(&mutex_);
  Module* const module = ModuleFor(order, description.decisions);
  if (module != nullptr) module->entries[kDataPart] = entry;
}

// No order comes with it, so it is kept once one has told the signature.
void WorkerStore::KeepEntryPoint(ModuleId id, SymbolOrdinal function, const EntryPoint& point) {
  const Entry entry = std::make_shared<const std::string>(point.Encode());
  absl::MutexLock lock(&mutex_);
  auto found = modules_.find(id);
  if (found == modules_.end()) return;
  found->second.entries[{ModulePart::Kind::kEntryPoint, function}] = entry;
}

bool WorkerStore::has_news() const {
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, module] : modules_) {
    if (module.has_news) return true;
  }
  return false;
}

std::vector<std::pair<ModuleId, WorkerStore::Module>> WorkerStore::CopyChanged() {
  std::vector<std::pair<ModuleId, Module>> changed;
  absl::MutexLock lock(&mutex_);
  for (auto& [id, module] : modules_) {
    if (std::exchange(module.has_news, false)) changed.emplace_back(id, module);
  }
  return changed;
}

void WorkerStore::Merge(ModuleId id, const Module& more) {
  absl::MutexLock lock(&mutex_);
  const auto found = modules_.find(id);
  if (found == modules_.end() || found->second.signature != more.signature) return;
  Module& module = found->second;
  for (const auto& [part, entry] : more.entries) {
    // The start object was made anew, of what it had before and more.
    if (part == kStartPart) module.entries[part] = entry;
    module.entries.emplace(part, entry);
  }
  module.last_pack = more.last_pack;
}

void WorkerStore::AddStartObject(Module& module) {
  EntriesCache cache(module.entries);
  ModuleCache module_cache(cache, "", module.signature);
  StartObject start(ModulePart::Kind::kFunction, module_cache, module.index->size());
  for (SymbolOrdinal function : module.used) start.NoteUsed(function);
  start.Store(module.decided);
}

std::vector<WorkerStore::News> WorkerStore::Take(AskServer ask) {
  std::vector<News> news;
  for (auto& [id, module] : CopyChanged()) {
    const auto index = module.entries.find(kIndexPart);
    if (index == module.entries.end()) {
      module.entries[kIndexPart] = std::make_shared<const std::string>(module.index->Encode());
    }
    if (const std::optional<ServersPack> known = ask(module.signature, module.last_pack)) {
      for (const auto& [part, place] : known->pack.entries()) {
        if (module.entries.count(part) != 0) continue;
        if (std::optional<ByteBuffer> entry = known->pack.Find(part)) {
          module.entries.emplace(part, std::make_shared<const std::string>(*entry));
        }
      }
      module.last_pack = known->number;
    }
    AddStartObject(module);
    Merge(id, module);
    std::map<ModulePart, absl::string_view> entries;
    for (const auto& [part, entry] : module.entries) entries.emplace(part, *entry);
    news.push_back({id, module.signature, ObjectPack::Encode(entries)});
  }
  return news;
}

void WorkerStore::NotePublished(const News& news, uint64_t number) {
  absl::MutexLock lock(&mutex_);
  const auto found = modules_.find(news.module);
  if (found == modules_.end() || found->second.signature != news.signature) return;
  if (number != 0) found->second.last_pack = number;
}

}  // namespace firstcall

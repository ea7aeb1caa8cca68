// The state goes kUnlinked -> kLoaded -> kReady or kFailed under the mutex, and back to kUnlinked
// if memory ran out or a symbol is missing. kReady is stored with release order after the
// addresses, so that a thread which reads it needs no lock.

#include "runtime/object_linker.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "code/symbol_name.h"
#include "runtime/entry_point.h"
#include "runtime/ifunc_argument.h"
#include "runtime/source_module.h"
#include "runtime/work_scope.h"

namespace firstcall {
namespace {

// The signature of the object of a module that is compiled whole: the signature of its source, and
// the list of its definitions that give way to others.
std::string SignatureOfWhole(const SourceModule& module, IsReplaced is_replaced) {
  std::string signature = absl::StrCat(module.cache()->signature(), " replaced=");
  for (uint32_t i = 0; i < module.index().size(); ++i) {
    const Symbol& symbol = module.index().at(SymbolOrdinal{i});
    if (symbol.is_definition && symbol.is_weak && is_replaced(SymbolOrdinal{i})) {
      absl::StrAppend(&signature, i, ",");
    }
  }
  return signature;
}

absl::Status KeepLifecycle(std::vector<ElfObject::LifecyclePointer> pointers, const Linker& linker,
                           LazyObject& object) {
  std::stable_sort(pointers.begin(), pointers.end(),
                   [](const auto& a, const auto& b) { return a.priority < b.priority; });
  for (const ElfObject::LifecyclePointer& pointer : pointers) {
    const ExecutorAddress section = linker.AddressOf(pointer.section);
    if (section.is_null()) return absl::InternalError("a constructor's section was not loaded");
    auto& list = pointer.phase == LifecyclePhase::kStart ? object.constructors : object.destructors;
    list.push_back({pointer.priority, section + pointer.offset});
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ObjectLinker::Link(LazyObject& object) {
  if (object.state.load(std::memory_order_acquire) == LazyObject::State::kReady) {
    return absl::OkStatus();
  }
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  switch (object.state.load(std::memory_order_relaxed)) {
    case LazyObject::State::kLoaded:
    case LazyObject::State::kReady:
      return absl::OkStatus();
    case LazyObject::State::kFailed:
      return object.status;
    case LazyObject::State::kUnlinked:
      if (object.additions && *object.additions == additions_) return object.status;
      break;
  }
  const uint64_t additions = additions_;
  // A callback of the client's may throw. What is not bound then is tried again.
  absl::Cleanup unlink = [&] {
    if (object.unfinished != nullptr && object.unfinished->is_bound) return;
    object.state.store(LazyObject::State::kUnlinked, std::memory_order_relaxed);
  };
  object.status = Annotate(LinkLocked(object), absl::StrCat("'", object.name, "'"));
  std::move(unlink).Cancel();
  const bool lacks_symbol = object.unfinished != nullptr && !object.unfinished->is_bound &&
                            absl::IsNotFound(object.status);
  if (lacks_symbol) object.additions = additions;
  if (lacks_symbol || MayPass(object.status)) {
    object.state.store(LazyObject::State::kUnlinked, std::memory_order_relaxed);
    return object.status;
  }
  object.GiveUpUnfinished();
  object.bytes = {};
  object.state.store(object.status.ok() ? LazyObject::State::kReady : LazyObject::State::kFailed,
                     std::memory_order_release);
  return object.status;
}

absl::StatusOr<ObjectBytes> ObjectLinker::Make(LazyObject& object, UnfinishedLink& link) {
  if (!object.bytes.empty()) return std::exchange(object.bytes, {});
  SourceModule& module = *object.module;
  if (module.mode() == Mode::kEager) return MakeWhole(module, link);
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return resolver_.IsReplaced(module, ordinal);
  };
  constexpr ModulePart kPart{ModulePart::Kind::kData, SymbolOrdinal()};
  ModuleCache* const cache = module.cache();
  if (cache != nullptr) {
    std::optional<CachedObject> found = cache->FindObject(kPart, module.index().size());
    if (found && AreStillTrue(found->decisions, is_replaced)) {
      link.is_cached = true;
      return std::move(found->object);
    }
  }
  DecisionRecorder decisions(is_replaced);
  const auto ask = [&](SymbolOrdinal ordinal) { return decisions.Ask(ordinal); };
  DataOrder order{module.id(), ask, module.is_far()};
  if (cache != nullptr) order.identification = cache->IdentificationOf(kPart);
  FIRSTCALL_ASSIGN_OR_RETURN(CompiledObject compiled, compiler_.CompileData(order));
  link.split = compiled.split;
  link.emit = compiled.emit;
  if (cache != nullptr) {
    CachedObject description;
    description.decisions = std::move(decisions).Take();
    cache->Store(kPart, EncodeCachedObject(description, compiled.bytes));
  }
  return std::move(compiled.bytes);
}

absl::StatusOr<ObjectBytes> ObjectLinker::MakeWhole(SourceModule& module, UnfinishedLink& link) {
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return resolver_.IsReplaced(module, ordinal);
  };
  std::string signature;
  ModuleCache* const cache = module.cache();
  if (cache != nullptr) {
    signature = SignatureOfWhole(module, is_replaced);
    link.is_cached = true;
    link.function_count = module.index().function_count();
    if (std::optional<ObjectBytes> found = cache->FindWhole(signature)) return *std::move(found);
    link.is_cached = false;
  }
  DataOrder order{module.id(), is_replaced};
  if (cache != nullptr) order.identification = {"", signature};
  FIRSTCALL_ASSIGN_OR_RETURN(CompiledObject compiled, compiler_.CompileWhole(order));
  link.function_count = module.index().function_count();
  link.split = compiled.split;
  link.emit = compiled.emit;
  if (cache != nullptr) cache->StoreWhole(signature, compiled.bytes);
  return std::move(compiled.bytes);
}

// A module that was compiled whole reaches others through its offset table, so it may lie anywhere.
// The object gets its own linker, because other objects may have to be linked before it is
// finished.
absl::StatusOr<LoadedObject> ObjectLinker::Load(ElfObject& image, LazyObject& object) const {
  const SourceModule* module = object.module;
  const bool is_whole = module != nullptr && module->mode() == Mode::kEager;
  const bool is_far = is_whole || (module != nullptr && module->is_far());
  const ExecutorAddress near = code_space_.NearFor(is_far);
  if (is_whole && other_linkers_) return LoadObjectBy(other_linkers_, image, object.code(), near);
  return LoadObject(image, object.code(), near, other_linkers_);
}

absl::StatusOr<std::unique_ptr<UnfinishedLink>> ObjectLinker::Begin(LazyObject& object) {
  auto link = std::make_unique<UnfinishedLink>();
  FIRSTCALL_ASSIGN_OR_RETURN(link->bytes, Make(object, *link));
  // For the next attempt, also if a callback of the client's throws.
  absl::Cleanup put_back = [&] { object.bytes = std::move(link->bytes); };
  const absl::Duration start = SteadyNow();
  // Some references of an object file exist only to pull in an archive member.
  const bool is_file = object.module == nullptr;
  const auto is_wanted = [&](absl::string_view name) {
    return is_file && resolver_.IsDefined(name, object.library);
  };
  FIRSTCALL_ASSIGN_OR_RETURN(
      link->image, ElfObject::Parse(absl::MakeSpan(link->bytes), object.name, is_wanted));
  ElfObject& image = *link->image;
  if (is_file) FIRSTCALL_RETURN_IF_ERROR(image.DropUnneededSymbols(is_wanted));
  resolver_.DecideWeakSymbols(image, object);
  image.MakeDefinitionsStrong();
  std::vector<ElfObject::LifecyclePointer> lifecycle;
  if (is_file) {
    FIRSTCALL_ASSIGN_OR_RETURN(link->near_symbols, image.NearSymbols());
    FIRSTCALL_ASSIGN_OR_RETURN(lifecycle, image.LifecyclePointers());
  }
  FIRSTCALL_ASSIGN_OR_RETURN(LoadedObject loaded, Load(image, object));
  std::move(put_back).Cancel();
  link->linker = std::move(loaded.linker);
  object.addresses = std::move(loaded.defined);
  for (const ElfObject::NamedSection& section : image.NamedSections()) {
    const ExecutorAddress begin = link->linker->AddressOf(section.section);
    if (begin.is_null()) continue;
    object.addresses.emplace(absl::StrCat(kSectionStartPrefix, section.name), begin);
    object.addresses.emplace(absl::StrCat(kSectionStopPrefix, section.name), begin + section.size);
  }
  FIRSTCALL_RETURN_IF_ERROR(KeepLifecycle(lifecycle, *link->linker, object));
  link->link = SteadyNow() - start;
  return link;
}

absl::Status ObjectLinker::Bind(LazyObject& object, UnfinishedLink& link) {
  FIRSTCALL_ASSIGN_OR_RETURN(SymbolResolution resolution,
                             resolver_.ResolveAll(*link.image, object, "its data and code"));
  for (absl::string_view symbol : link.near_symbols) {
    if (code_space_.IsNear(resolution.at(symbol))) continue;
    return absl::UnimplementedError(
        absl::StrCat("'", symbol, "' may be out of its reach: compile it with -fPIC"));
  }
  FIRSTCALL_RETURN_IF_ERROR(link.linker->Bind(resolution));
  if (object.module != nullptr && code_space_.MayRewriteData()) {
    link.table_entries = link.linker->TableEntries();
  }
  return absl::OkStatus();
}

absl::Status ObjectLinker::LinkLocked(LazyObject& object) {
  if (object.unfinished == nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(object.unfinished, Begin(object));
  }
  UnfinishedLink& link = *object.unfinished;
  const absl::Duration start = SteadyNow();
  object.state.store(LazyObject::State::kLoaded, std::memory_order_relaxed);
  if (!link.is_bound) FIRSTCALL_RETURN_IF_ERROR(Bind(object, link));
  link.is_bound = true;
  FIRSTCALL_RETURN_IF_ERROR(link.linker->Finalize());
  link.link += SteadyNow() - start;
  Complete(object, link);
  object.unfinished = nullptr;
  return absl::OkStatus();
}

void ObjectLinker::Complete(LazyObject& object, const UnfinishedLink& link) {
  if (object.module != nullptr) resolver_.AddTableEntries(*object.module, link.table_entries);
  if (auto initializer = object.addresses.find(kInitializer);
      initializer != object.addresses.end()) {
    ProgramCodeScope scope;
    // An initializer that calls ifunc resolvers gets their arguments.
    CallWithIFuncArguments(
        initializer->second.InThisProcess<void (*)(uint64_t, const IFuncArgument*)>());
  }
  PublishedObject published;
  published.module = object.name;
  published.object = link.bytes;
  published.is_users = object.module == nullptr;
  published.reason = CompileReason::kNeeded;
  published.function_count = link.function_count;
  published.is_cached = link.is_cached;
  published.code_bytes = link.linker->code_bytes();
  published.split = link.split;
  published.emit = link.emit;
  published.link = link.link;
  listener_.OnPublished(published);
  if (object.module == nullptr) {
    absl::MutexLock lock(&constructors_mutex_);
    pending_.push_back(&object);
    has_pending_ = true;
  }
}

std::vector<LazyObject*> ObjectLinker::TakeObjectsToConstruct() {
  absl::MutexLock lock(&constructors_mutex_);
  constructors_started_ = true;
  has_pending_ = false;
  constructed_.insert(constructed_.end(), pending_.begin(), pending_.end());
  return std::exchange(pending_, {});
}

std::vector<LazyObject*> ObjectLinker::TakeObjectsToDestroy() {
  absl::MutexLock lock(&constructors_mutex_);
  return std::exchange(constructed_, {});
}

void ObjectLinker::RunPendingConstructors() {
  if (!has_pending_.load(std::memory_order_relaxed) || !constructors_started_) return;
  for (const LazyObject* object : TakeObjectsToConstruct()) {
    ProgramCodeScope scope;
    for (const LazyObject::LifecycleCode& constructor : object->constructors) {
      CallConstructor(constructor.address, ProgramArguments({}));
    }
  }
}

absl::StatusOr<ExecutorAddress> ObjectLinker::AddressIn(LazyObject& object,
                                                        absl::string_view name) {
  FIRSTCALL_RETURN_IF_ERROR(Link(object));
  auto found = object.addresses.find(name);
  if (found == object.addresses.end()) {
    return absl::NotFoundError(
        absl::StrCat("symbol '", name, "' is not in the object of '", object.name, "'"));
  }
  return found->second;
}

}  // namespace firstcall

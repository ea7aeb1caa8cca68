// The state goes kUnlinked -> kLoaded -> kReady under the mutex. kReady is stored with release,
// after the addresses, so that readers who see it need no lock.

#include "engine/object_linker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status.h"
#include "engine/signature.h"
#include "engine/source_module.h"
#include "engine/work_scope.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "splitter/data_extractor.h"
#include "splitter/symbol_name.h"
#include "splitter/whole_module.h"

namespace firstcall {
namespace {

absl::Status KeepLifecycle(std::vector<ObjectImage::LifecyclePointer> pointers,
                           const McjitLinker& linker, LazyObject& object) {
  std::stable_sort(pointers.begin(), pointers.end(),
                   [](const auto& a, const auto& b) { return a.priority < b.priority; });
  for (const ObjectImage::LifecyclePointer& pointer : pointers) {
    const ExecutorAddress section = linker.AddressOf(pointer.section);
    if (section.is_null()) return absl::InternalError("a constructor's section was not loaded");
    auto& list = pointer.phase == LifecyclePhase::kStart ? object.constructors : object.destructors;
    list.push_back({pointer.priority, section + pointer.offset});
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ObjectLinker::Link(LazyObject& object, CompileContext& context) {
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
      break;
  }
  object.status = Annotate(LinkLocked(object, context), absl::StrCat("'", object.name, "'"));
  object.state.store(object.status.ok() ? LazyObject::State::kReady : LazyObject::State::kFailed,
                     std::memory_order_release);
  return object.status;
}

absl::StatusOr<ObjectBytes> ObjectLinker::Make(LazyObject& object, CompileContext& context,
                                               PublishedObject& published) {
  if (object.module == nullptr) return std::move(object.bytes);
  SourceModule& module = *object.module;
  if (module.mode() == Mode::kEager) return MakeWhole(module, context, published);
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return resolver_.IsReplaced(module, ordinal);
  };
  constexpr ModulePart kPart{ModulePart::Kind::kData, SymbolOrdinal()};
  ModuleCache* const cache = module.cache();
  if (cache != nullptr) {
    std::optional<CachedObject> found = cache->FindObject(kPart, module.index().size());
    if (found && AreStillTrue(found->decisions, is_replaced)) {
      published.is_cached = true;
      return std::move(found->object);
    }
  }
  DecisionRecorder decisions(is_replaced);
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(module));
  FIRSTCALL_ASSIGN_OR_RETURN(ObjectEmitter * emitter, context.Emitter());
  absl::MutexLock lock(&view->mutex());
  const absl::Time start = absl::Now();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> data,
                             ExtractData(*view, module.index(), [&](SymbolOrdinal ordinal) {
                               return decisions.Ask(ordinal);
                             }));
  if (cache != nullptr) AddIdentification(*data, cache->IdentificationOf(kPart));
  const absl::Time extracted = absl::Now();
  listener_.OnModuleMade(*data);
  absl::StatusOr<ObjectBytes> bytes = emitter->Emit(std::move(data));
  published.split = extracted - start;
  published.emit = absl::Now() - extracted;
  if (bytes.ok() && cache != nullptr) {
    CachedObject description;
    description.decisions = std::move(decisions).Take();
    cache->Store(kPart, EncodeCachedObject(description, {bytes->data(), bytes->size()}));
  }
  return bytes;
}

absl::StatusOr<ObjectBytes> ObjectLinker::MakeWhole(SourceModule& module, CompileContext& context,
                                                    PublishedObject& published) {
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return resolver_.IsReplaced(module, ordinal);
  };
  std::string signature;
  ModuleCache* const cache = module.cache();
  if (cache != nullptr) {
    signature = SignatureOfWhole(module, is_replaced);
    published.is_cached = true;
    published.function_count = module.index().function_count();
    if (std::optional<ObjectBytes> found = cache->FindWhole(signature)) return *std::move(found);
    published.is_cached = false;
  }
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(module));
  FIRSTCALL_ASSIGN_OR_RETURN(ObjectEmitter * emitter, context.Emitter());
  absl::MutexLock lock(&view->mutex());
  const absl::Time start = absl::Now();
  FIRSTCALL_RETURN_IF_ERROR(
      PrepareWholeModule(*view, module.index(), !module.source().is_verified(), is_replaced));
  if (cache != nullptr) AddIdentification(view->module(), signature);
  const absl::Time prepared = absl::Now();
  listener_.OnModuleMade(view->module());
  absl::StatusOr<ObjectBytes> bytes = emitter->Emit(view->module());
  published.function_count = module.index().function_count();
  published.split = prepared - start;
  published.emit = absl::Now() - prepared;
  if (bytes.ok() && cache != nullptr) {
    cache->StoreWhole(signature, absl::string_view(bytes->data(), bytes->size()));
  }
  return bytes;
}

absl::Status ObjectLinker::LinkLocked(LazyObject& object, CompileContext& context) {
  PublishedObject published;
  published.module = object.name;
  FIRSTCALL_ASSIGN_OR_RETURN(ObjectBytes bytes, Make(object, context, published));
  published.object = absl::string_view(bytes.data(), bytes.size());

  const absl::Time start = absl::Now();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ObjectImage> image,
                             ObjectImage::Parse(bytes, object.name));
  resolver_.SettleWeakSymbols(*image, object);
  image->MakeDefinitionsStrong();
  // A linker of its own: between Load and Finish other objects may have to be linked.
  McjitLinker linker(target_, memory_);
  std::vector<ObjectImage::LifecyclePointer> lifecycle;
  std::vector<absl::string_view> near_symbols;
  if (object.module == nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(near_symbols, image->NearSymbols());
    FIRSTCALL_ASSIGN_OR_RETURN(lifecycle, image->LifecyclePointers());
  }
  const std::vector<ObjectImage::NamedSection> sections = image->NamedSections();
  if (!lifecycle.empty() || !sections.empty()) linker.RecordSections();
  FIRSTCALL_ASSIGN_OR_RETURN(object.addresses, linker.Load(*image));
  for (const ObjectImage::NamedSection& section : sections) {
    const ExecutorAddress start = linker.AddressOf(section.section);
    if (start.is_null()) continue;
    object.addresses.emplace(absl::StrCat(kSectionStartPrefix, section.name), start);
    object.addresses.emplace(absl::StrCat(kSectionStopPrefix, section.name),
                             start + section.section.getSize());
  }
  object.state.store(LazyObject::State::kLoaded, std::memory_order_relaxed);
  FIRSTCALL_ASSIGN_OR_RETURN(SymbolAddresses resolution,
                             resolver_.ResolveAll(*image, object, "its data and code", context));
  for (absl::string_view symbol : near_symbols) {
    if (memory_.arena.Contains(resolution.at(symbol))) continue;
    return absl::UnimplementedError(
        absl::StrCat("'", symbol, "' may be out of its reach: compile it with -fPIC"));
  }
  FIRSTCALL_RETURN_IF_ERROR(linker.Finish(resolution));
  FIRSTCALL_RETURN_IF_ERROR(KeepLifecycle(lifecycle, linker, object));
  if (auto initializer = object.addresses.find(kInitializer);
      initializer != object.addresses.end()) {
    initializer->second.InThisProcess<void (*)()>()();
  }
  published.code_bytes = linker.code_bytes();
  published.link = absl::Now() - start;
  listener_.OnPublished(published);
  if (object.module == nullptr) {
    absl::MutexLock lock(&constructors_mutex_);
    pending_.push_back(&object);
    has_pending_ = true;
  }
  return absl::OkStatus();
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
    std::vector<LazyObject::LifecycleCode> constructors = object->constructors;
    std::stable_sort(constructors.begin(), constructors.end(),
                     [](const auto& a, const auto& b) { return a.priority < b.priority; });
    CallbackScope scope;
    for (const LazyObject::LifecycleCode& constructor : constructors) {
      constructor.address.InThisProcess<void (*)()>()();
    }
  }
}

absl::StatusOr<ExecutorAddress> ObjectLinker::AddressIn(LazyObject& object, absl::string_view name,
                                                        CompileContext& context) {
  FIRSTCALL_RETURN_IF_ERROR(Link(object, context));
  auto found = object.addresses.find(name);
  if (found == object.addresses.end()) {
    return absl::NotFoundError(
        absl::StrCat("symbol '", name, "' is not in the object of '", object.name, "'"));
  }
  return found->second;
}

}  // namespace firstcall

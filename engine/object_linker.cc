// The state goes kUnlinked -> kLoaded -> kReady under the mutex. kReady is stored with release,
// after the addresses, so that readers who see it need no lock.

#include "engine/object_linker.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status.h"
#include "engine/source_module.h"
#include "splitter/data_extractor.h"
#include "splitter/symbol_name.h"
#include "splitter/whole_module.h"

namespace firstcall {

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
  const auto is_replaced = [&](SymbolOrdinal ordinal) {
    return resolver_.IsReplaced(module, ordinal);
  };
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(module));
  FIRSTCALL_ASSIGN_OR_RETURN(ObjectEmitter * emitter, context.Emitter());
  absl::MutexLock lock(&view->mutex());
  const absl::Time start = absl::Now();
  if (module.mode() == Mode::kEager) {
    FIRSTCALL_RETURN_IF_ERROR(
        PrepareWholeModule(*view, module.index(), !module.source().is_verified(), is_replaced));
    const absl::Time prepared = absl::Now();
    listener_.OnModuleMade(view->module());
    absl::StatusOr<ObjectBytes> bytes = emitter->Emit(view->module());
    published.function_count = module.index().function_count();
    published.split = prepared - start;
    published.emit = absl::Now() - prepared;
    return bytes;
  }
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> data,
                             ExtractData(*view, module.index(), is_replaced));
  const absl::Time extracted = absl::Now();
  listener_.OnModuleMade(*data);
  absl::StatusOr<ObjectBytes> bytes = emitter->Emit(std::move(data));
  published.split = extracted - start;
  published.emit = absl::Now() - extracted;
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
  const std::vector<ObjectImage::NamedSection> sections = image->NamedSections();
  FIRSTCALL_ASSIGN_OR_RETURN(object.addresses, linker.Load(*image));
  for (const ObjectImage::NamedSection& section : sections) {
    const ExecutorAddress start = linker.SectionNamed(section.name);
    if (start.is_null()) continue;
    object.addresses.emplace(absl::StrCat(kSectionStartPrefix, section.name), start);
    object.addresses.emplace(absl::StrCat(kSectionStopPrefix, section.name), start + section.size);
  }
  object.state.store(LazyObject::State::kLoaded, std::memory_order_relaxed);
  FIRSTCALL_ASSIGN_OR_RETURN(SymbolAddresses resolution,
                             resolver_.ResolveAll(*image, object, "its data and code", context));
  FIRSTCALL_RETURN_IF_ERROR(linker.Finish(resolution));
  if (auto initializer = object.addresses.find(kInitializer);
      initializer != object.addresses.end()) {
    initializer->second.InThisProcess<void (*)()>()();
  }
  published.code_bytes = linker.code_bytes();
  published.link = absl::Now() - start;
  listener_.OnPublished(published);
  return absl::OkStatus();
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

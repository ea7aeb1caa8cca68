// The state goes kUnlinked -> kLoaded -> kReady or kFailed under the mutex, and back to kUnlinked
// if memory ran out or a symbol is missing. An object in a circle is kBound before it is kReady.
// kReady is stored with release order after the addresses, so that a thread which reads kReady
// needs no lock.
//
// Objects that refer to each other in a circle become kReady together: no other thread uses one of
// them before all are bound. If one of them fails, the others become kUnlinked again, and the next
// time that they are linked, they fail because of it. Their references stay bound, because another
// object may have run their code: the next time, the objects that they refer to are linked, but the
// references are not bound again.

#include "runtime/link/object_linker.h"

#include <elf.h>

#include <algorithm>
#include <mutex>  // std::lock_guard
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "object/symbol_name.h"
#include "runtime/link/ifunc_argument.h"
#include "runtime/link/source_module.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

// If an object that the user added has more data than this and can lie elsewhere, it leaves the
// first arena to others.
constexpr size_t kMuchData = size_t{64} << 20;

// Others take what a module's assembly defines for variables of the process.
absl::Status CheckThreadLocals(const ElfObject& image, const SourceModule& module) {
  const auto is_thread_local = [](const ElfObject::Section& section) {
    return (section.flags & SHF_TLS) != 0;
  };
  if (std::none_of(image.sections().begin(), image.sections().end(), is_thread_local)) {
    return absl::OkStatus();
  }
  for (const ElfObject::Definition& definition : image.DescribeDefinitions()) {
    if (definition.is_thread_local && module.index().FindAssemblySymbol(definition.name)) {
      return absl::UnimplementedError(absl::StrCat("symbol '", definition.name, "': assembly of '",
                                                   module.name(),
                                                   "' defines it as a thread-local variable"));
    }
  }
  return absl::OkStatus();
}

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
  const auto is_bound = [&] {
    return object.state.load(std::memory_order_acquire) == LazyObject::State::kBound;
  };
  if (!mutex_.LockUnless(is_bound)) return absl::OkStatus();
  std::lock_guard<WorkMutex> lock(mutex_, std::adopt_lock);
  if (mutex_.WasLeftByParent()) ForgetLinksOfParent();
  switch (object.state.load(std::memory_order_relaxed)) {
    case LazyObject::State::kLoaded:
    case LazyObject::State::kBound:
      NoteReference(object);
      return absl::OkStatus();
    case LazyObject::State::kReady:
      return absl::OkStatus();
    case LazyObject::State::kFailed:
      return object.status;
    case LazyObject::State::kUnlinked:
      if (object.additions && *object.additions == additions_) return object.status;
      break;
  }
  if (IsLinking()) return LinkUnlinked(object);
  linking_thread_ = AwaitedWork::OwnNumber();
  // If a callback of the client's throws, nothing is published, so no callback is called.
  absl::Cleanup left = [&] { EndLinking(/*is_linked=*/false); };
  const absl::Status status = LinkUnlinked(object);
  std::move(left).Cancel();
  EndLinking(status.ok());
  return status;
}

void ObjectLinker::EndLinking(bool is_linked) {
  linking_thread_ = 0;
  std::vector<WhenLinked> actions = std::exchange(when_linked_, {});
  size_t done = 0;
  // The actions behind one that throws, because its listener does, are still carried out.
  absl::Cleanup rest = [&] {
    for (; done < actions.size(); ++done) actions[done](/*is_linked=*/false);
  };
  while (done < actions.size()) actions[done++](is_linked);
}

absl::Status ObjectLinker::LinkUnlinked(LazyObject& object) {
  const uint64_t additions = additions_;
  frames_.push_back({&object, frames_.size(), bound_.size()});
  // Runs also if a callback of the client's throws. Then the next attempt goes on.
  absl::Cleanup unlink = [&] {
    UnlinkBoundIn(frames_.back());
    frames_.pop_back();
    object.state.store(LazyObject::State::kUnlinked, std::memory_order_relaxed);
  };
  object.status = Annotate(LinkLocked(object), absl::StrCat("'", object.name, "'"));
  if (object.status.ok()) {
    std::move(unlink).Cancel();
    EndFrame(object);
    return absl::OkStatus();
  }
  std::move(unlink).Invoke();
  const bool lacks_symbol = object.unfinished != nullptr && absl::IsNotFound(object.status);
  if (lacks_symbol) object.additions = additions;
  if (lacks_symbol || MayPass(object.status)) return object.status;
  object.GiveUpUnfinished();
  object.bytes = {};
  object.state.store(LazyObject::State::kFailed, std::memory_order_release);
  return object.status;
}

void ObjectLinker::ForgetLinksOfParent() {
  for (const Frame& frame : frames_) {
    frame.object->state.store(LazyObject::State::kUnlinked, std::memory_order_relaxed);
  }
  if (!frames_.empty()) UnlinkBoundIn(frames_.front());
  frames_.clear();
  // Functions that the parent's thread had claimed are given back by the function table.
  when_linked_.clear();
  linking_thread_ = 0;
}

void ObjectLinker::NoteReference(const LazyObject& object) {
  size_t& reaches = frames_.back().reaches;
  reaches = std::min(reaches, object.unfinished->reaches);
}

void ObjectLinker::EndFrame(LazyObject& object) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  bound_.push_back(&object);
  const bool waits = frame.reaches < frames_.size();
  if (waits) {
    for (size_t i = frame.first_bound; i < bound_.size(); ++i) {
      bound_[i]->unfinished->reaches = frame.reaches;
    }
    frames_.back().reaches = std::min(frames_.back().reaches, frame.reaches);
    object.state.store(LazyObject::State::kBound, std::memory_order_release);
    return;
  }
  const std::vector<LazyObject*> ready(
      bound_.begin() + static_cast<std::ptrdiff_t>(frame.first_bound), bound_.end());
  bound_.resize(frame.first_bound);
  constructors_.Add(ready);
  // A thread that sees that a member is ready also sees that its constructors have to run.
  for (LazyObject* member : ready) {
    member->unfinished = nullptr;
    member->state.store(LazyObject::State::kReady, std::memory_order_release);
  }
}

void ObjectLinker::UnlinkBoundIn(const Frame& frame) {
  for (size_t i = frame.first_bound; i < bound_.size(); ++i) {
    bound_[i]->state.store(LazyObject::State::kUnlinked, std::memory_order_relaxed);
  }
  bound_.resize(frame.first_bound);
}

absl::StatusOr<ObjectBytes> ObjectLinker::Make(LazyObject& object, UnfinishedLink& link) {
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
  link.origin = compiled.origin;
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
  link.origin = compiled.origin;
  link.split = compiled.split;
  link.emit = compiled.emit;
  if (cache != nullptr) cache->StoreWhole(signature, compiled.bytes);
  return std::move(compiled.bytes);
}

// A module that was compiled whole reaches others through its offset table, so it may lie anywhere.
// The object gets its own linker, because other objects may have to be linked before it is
// finished.
absl::StatusOr<LoadedObject> ObjectLinker::Load(ElfObject& image, LazyObject& object,
                                                bool needs_others_near) const {
  const SourceModule* module = object.module;
  const bool prefers_others = module != nullptr && other_linkers_.come_first;
  const bool is_far = module != nullptr
                          ? module->mode() == Mode::kEager || module->is_far()
                          : !needs_others_near && image.MemorySizes().data > kMuchData;
  const ExecutorAddress near = code_space_.NearFor(is_far);
  return LoadObject(image, object.code(), near, {other_linkers_.make, prefers_others});
}

absl::StatusOr<std::unique_ptr<UnfinishedLink>> ObjectLinker::Begin(LazyObject& object) {
  auto link = std::make_unique<UnfinishedLink>();
  // Until the object is loaded, its bytes stay where the next attempt finds them, also if a
  // callback of the client's throws or forks.
  if (object.bytes.empty()) {
    FIRSTCALL_ASSIGN_OR_RETURN(object.bytes, Make(object, *link));
  }
  const absl::Duration start = SteadyNow();
  // Some references of an object file exist only to pull in an archive member.
  const bool is_file = object.module == nullptr;
  const auto is_wanted = [&](absl::string_view name) {
    return is_file && resolver_.IsDefined(name, object.library);
  };
  FIRSTCALL_ASSIGN_OR_RETURN(
      link->image, ElfObject::Parse(absl::MakeSpan(object.bytes), object.name, is_wanted));
  ElfObject& image = *link->image;
  // Directives of assembly (`.globl`, `.hidden`) name symbols that nothing may define.
  if (is_file || !object.module->index().assembly_symbols().empty()) {
    FIRSTCALL_RETURN_IF_ERROR(image.DropUnneededSymbols(is_wanted));
  }
  if (!is_file) FIRSTCALL_RETURN_IF_ERROR(CheckThreadLocals(image, *object.module));
  weak_symbols_.Decide(image, object);
  image.MakeDefinitionsStrong();
  std::vector<ElfObject::LifecyclePointer> lifecycle;
  if (is_file) {
    FIRSTCALL_ASSIGN_OR_RETURN(link->near_symbols, image.NearSymbols());
    FIRSTCALL_ASSIGN_OR_RETURN(lifecycle, image.LifecyclePointers());
  }
  FIRSTCALL_ASSIGN_OR_RETURN(LoadedObject loaded, Load(image, object, !link->near_symbols.empty()));
  link->bytes = std::move(object.bytes);
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
  if (link.is_bound) return CheckBinding(link, resolution);
  FIRSTCALL_RETURN_IF_ERROR(link.linker->Bind(resolution));
  if (object.module != nullptr && code_space_.MayRewriteData()) {
    link.table_entries = link.linker->TableEntries();
  }
  link.is_bound = true;
  link.bound_to = std::move(resolution);
  link.removals = removals_;
  return absl::OkStatus();
}

// Checks an object whose references were bound before another object of its circle failed: they
// must still be bound to the right addresses.
absl::Status ObjectLinker::CheckBinding(UnfinishedLink& link,
                                        const SymbolResolution& resolution) const {
  if (link.removals == removals_) return absl::OkStatus();
  for (const auto& [symbol, address] : resolution) {
    const SymbolReference reference = ParseReference(symbol);
    // Calls may go to a body by now, or to the stub: both are right.
    if (reference.kind == ReferenceKind::kCall || link.bound_to.at(symbol) == address) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("it is bound to '", reference.name,
                     "' of a module that was removed before their circle was complete"));
  }
  link.removals = removals_;
  return absl::OkStatus();
}

absl::Status ObjectLinker::LinkLocked(LazyObject& object) {
  if (object.unfinished == nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(object.unfinished, Begin(object));
  }
  UnfinishedLink& link = *object.unfinished;
  link.reaches = frames_.size() - 1;
  const absl::Duration start = SteadyNow();
  object.state.store(LazyObject::State::kLoaded, std::memory_order_relaxed);
  FIRSTCALL_RETURN_IF_ERROR(Bind(object, link));
  if (link.is_complete) return absl::OkStatus();
  FIRSTCALL_RETURN_IF_ERROR(link.linker->Finalize());
  link.link += SteadyNow() - start;
  link.is_complete = true;
  Complete(object, link);
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
  published.origin = link.origin;
  published.code_bytes = link.linker->code_bytes();
  published.linked_by_mcjit = link.linker->is_mcjit();
  published.split = link.split;
  published.emit = link.emit;
  published.link = link.link;
  listener_.OnPublished(published);
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

// A number is taken when the event has happened, and the event is put behind the earlier ones of
// its thread at once, so those of one thread are in order.

#include "runtime/event_source.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/steady_clock.h"
#include "code/elf_object.h"
#include "runtime/work_scope.h"

namespace firstcall {
namespace {

// The size of the only function that the object publishes, which it defines as `name`, together
// with the local functions behind it, such as the body of a continuation. 0 if that is not known.
size_t SizeOf(const ElfObject& image, absl::string_view name) {
  std::optional<ElfObject::Symbol> own;
  for (size_t i = 0; i < image.symbol_count() && !own; ++i) {
    const ElfObject::Symbol symbol = image.symbol(i);
    if (!symbol.is_undefined() && image.NameOf(symbol) == name) own = symbol;
  }
  if (!own) return 0;
  uint64_t end = own->value + own->size;
  for (size_t i = 0; i < image.symbol_count(); ++i) {
    const ElfObject::Symbol symbol = image.symbol(i);
    if (symbol.is_local() && symbol.type() == STT_FUNC && symbol.index == own->index &&
        symbol.value >= own->value) {
      end = std::max(end, symbol.value + symbol.size);
    }
  }
  return end - own->value;
}

// The sizes of the functions that the object defines, by name.
absl::flat_hash_map<absl::string_view, size_t> FunctionSizes(const ElfObject& image) {
  absl::flat_hash_map<absl::string_view, size_t> sizes;
  for (size_t i = 0; i < image.symbol_count(); ++i) {
    const ElfObject::Symbol symbol = image.symbol(i);
    if (symbol.is_undefined() || symbol.type() != STT_FUNC) continue;
    sizes.emplace(image.NameOf(symbol), symbol.size);
  }
  return sizes;
}

Generator GeneratorOf(const PublishedObject& object) {
  if (object.is_users) return Generator::kUser;
  return object.origin.is_baseline ? Generator::kBaseline : Generator::kLlvm;
}

}  // namespace

EventSource::EventSource(std::vector<std::shared_ptr<EventListener>> listeners)
    : receivers_(std::make_shared<Receivers>()) {
  receivers_->listeners = std::move(listeners);
  receivers_->want_code = std::any_of(receivers_->listeners.begin(), receivers_->listeners.end(),
                                      [](const auto& listener) { return listener->wants_code(); });
  receivers_->want_names =
      std::any_of(receivers_->listeners.begin(), receivers_->listeners.end(),
                  [](const auto& listener) { return listener->wants_names(); });
}

void EventSource::Deliver(Event event) {
  event.number = ++receivers_->last_number;
  event.thread = gettid();
  RunAfterWork([receivers = receivers_, event = std::move(event)] {
    for (const auto& listener : receivers->listeners) listener->OnEvent(event);
  });
}

void EventSource::OnModuleAdded(const AddedModule& module) {
  Event event;
  event.kind = EventKind::kModuleAdded;
  event.duration = module.load;
  event.start = SteadyNow() - module.load;
  event.module = std::string(module.module);
  event.functions = module.index.function_count();
  if (receivers_->want_names) {
    auto names = std::make_shared<std::vector<std::string>>();
    for (uint32_t i = 0; i < module.index.size(); ++i) {
      const Symbol& symbol = module.index.at(SymbolOrdinal{i});
      if (symbol.kind == SymbolKind::kFunction && symbol.is_definition) {
        names->emplace_back(symbol.name);
      }
    }
    event.names = std::move(names);
  }
  Deliver(std::move(event));
}

void EventSource::OnFirstCall(const FirstCall& call) {
  Event event;
  event.kind = EventKind::kFirstCall;
  event.start = call.start;
  event.duration = SteadyNow() - call.start;
  event.module = std::string(call.module);
  event.function = std::string(call.function);
  event.address = call.body.value();
  event.caller = call.caller.value();
  Deliver(std::move(event));
}

void EventSource::OnPublished(const PublishedObject& object) {
  const absl::Duration now = SteadyNow();
  Event event;
  event.module = std::string(object.module);
  event.tier = object.is_optimized ? 1 : 0;
  event.generator = GeneratorOf(object);
  event.reason = object.reason;
  event.is_cached = object.is_cached;
  event.is_continuation = object.is_continuation;
  {
    Event compiled = event;
    compiled.kind = EventKind::kCompiled;
    compiled.split = object.split;
    compiled.emit = object.emit;
    compiled.link = object.link;
    compiled.duration = object.split + object.emit + object.link;
    compiled.start = now - compiled.duration;
    if (!object.functions.empty()) compiled.function = std::string(object.functions[0].name);
    compiled.functions = object.function_count;
    compiled.size = object.code_bytes;
    compiled.object_bytes = object.object.size();
    Deliver(std::move(compiled));
  }
  if (object.functions.empty()) return;
  event.kind = object.is_promotion ? EventKind::kPromoted : EventKind::kPublished;
  event.start = now;
  // Most objects define one function.
  absl::flat_hash_map<absl::string_view, size_t> sizes;
  if (object.image != nullptr && object.functions.size() > 1) sizes = FunctionSizes(*object.image);
  for (size_t i = 0; i < object.functions.size(); ++i) {
    const PublishedFunction& function = object.functions[i];
    Event published = event;
    published.function = std::string(function.name);
    published.address = function.body.value();
    const absl::string_view symbol = function.symbol.empty() ? function.name : function.symbol;
    if (auto found = sizes.find(symbol); found != sizes.end()) {
      published.size = found->second;
    } else if (object.image != nullptr && sizes.empty()) {
      published.size = SizeOf(*object.image, symbol);
    }
    if (i > 0 && published.reason == CompileReason::kCalled) {
      published.reason = CompileReason::kAlong;
    }
    if (receivers_->want_code) {
      published.code = std::make_shared<const std::string>(
          function.body.InThisProcess<const char*>(), published.size);
    }
    Deliver(std::move(published));
  }
}

void EventSource::OnPromotionFailed(const FailedPromotion& failed) {
  Event event;
  event.kind = EventKind::kFailed;
  event.start = SteadyNow();
  event.module = std::string(failed.module);
  event.function = std::string(failed.function);
  event.tier = 1;
  event.is_continuation = failed.is_continuation;
  event.reason = failed.is_continuation ? CompileReason::kContinuation : CompileReason::kPromoted;
  event.status = failed.status;
  Deliver(std::move(event));
}

void EventSource::OnFunctionFailed(const FailedFunction& failed) {
  Event event;
  event.kind = EventKind::kFailed;
  event.start = SteadyNow();
  event.module = std::string(failed.module);
  event.function = std::string(failed.function);
  event.reason = failed.reason;
  event.status = failed.status;
  Deliver(std::move(event));
}

void EventSource::OnRemoved(const RemovedModule& module) {
  Event event;
  event.kind = EventKind::kRemoved;
  event.start = SteadyNow();
  event.module = std::string(module.module);
  event.size = module.code_bytes;
  event.is_detached = module.is_detached;
  Deliver(std::move(event));
}

void EventSource::OnStubs(ExecutorAddress code, size_t size, absl::string_view name) {
  Event event;
  event.kind = EventKind::kStubsMade;
  event.start = SteadyNow();
  event.function = std::string(name);
  event.address = code.value();
  event.size = size;
  if (receivers_->want_code) {
    event.code = std::make_shared<const std::string>(code.InThisProcess<const char*>(), event.size);
  }
  Deliver(std::move(event));
}

void EventSource::OnMemory(EventKind kind, size_t bytes, size_t used) {
  Event event;
  event.kind = kind;
  event.start = SteadyNow();
  event.size = bytes;
  event.memory_used = used;
  Deliver(std::move(event));
}

}  // namespace firstcall

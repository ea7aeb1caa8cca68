// A number is taken when the event has happened, and the event is put behind the earlier ones of
// its thread at once, so those of one thread are in order.

#include "runtime/process/event_source.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/steady_clock.h"
#include "object/detached_unwind_table.h"
#include "object/elf_object.h"
#include "object/line_table.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

// Where an object has a function. The size is 0 if that is not known.
struct FunctionPlace {
  uint32_t section = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
};

// Of the only function that the object publishes, which it defines as `name`, together with the
// local functions behind it, such as the body of a continuation.
FunctionPlace PlaceOf(const ElfObject& image, absl::string_view name) {
  std::optional<ElfObject::Symbol> own;
  size_t number = 0;
  for (size_t i = 0; i < image.symbol_count() && !own; ++i) {
    const ElfObject::Symbol symbol = image.symbol(i);
    if (!symbol.is_undefined() && image.NameOf(symbol) == name) own = symbol;
    number = i;
  }
  if (!own) return {};
  uint64_t end = own->value + own->size;
  for (size_t i = 0; i < image.symbol_count(); ++i) {
    const ElfObject::Symbol symbol = image.symbol(i);
    if (symbol.is_local() && symbol.type() == STT_FUNC && symbol.index == own->index &&
        symbol.value >= own->value) {
      end = std::max(end, symbol.value + symbol.size);
    }
  }
  return {image.SectionOf(*own, number), own->value, end - own->value};
}

// Of the functions that the object defines, by name.
absl::flat_hash_map<absl::string_view, FunctionPlace> FunctionPlaces(const ElfObject& image) {
  absl::flat_hash_map<absl::string_view, FunctionPlace> places;
  for (size_t i = 0; i < image.symbol_count(); ++i) {
    const ElfObject::Symbol symbol = image.symbol(i);
    if (symbol.is_undefined() || symbol.type() != STT_FUNC) continue;
    places.try_emplace(image.NameOf(symbol),
                       FunctionPlace{image.SectionOf(symbol, i), symbol.value, symbol.size});
  }
  return places;
}

// The line table of the object, by section and offset.
LineTable SortedLineTable(const ElfObject& image) {
  LineTable table = ReadLineTable(image);
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a.section, a.offset) < std::tie(b.section, b.offset);
  });
  return table;
}

// The rows of `table`, which is sorted, that describe the function; null if there are none.
std::shared_ptr<const CodeLines> LinesOf(const LineTable& table, const FunctionPlace& place) {
  auto row = std::lower_bound(table.rows.begin(), table.rows.end(), place,
                              [](const LineRow& row, const FunctionPlace& place) {
                                return std::tie(row.section, row.offset) <
                                       std::tie(place.section, place.offset);
                              });
  auto lines = std::make_shared<CodeLines>();
  for (; row != table.rows.end() && row->section == place.section &&
         row->offset - place.offset < place.size;
       ++row) {
    lines->rows.push_back({row->offset - place.offset, row->line, row->file});
  }
  if (lines->rows.empty()) return nullptr;
  lines->files = table.files;
  return lines;
}

std::shared_ptr<const CodeUnwinding> UnwindingOf(const UnwindTables& tables,
                                                 const FunctionPlace& place) {
  DetachedUnwindTable table = tables.Detach(place.section, place.offset, place.size);
  if (table.entries.empty()) return nullptr;
  return std::make_shared<const CodeUnwinding>(
      CodeUnwinding{std::move(table.entries), std::move(table.index)});
}

Generator GeneratorOf(const PublishedObject& object) {
  if (object.is_users) return Generator::kUser;
  return object.origin.generator;
}

// The event that tells what it took to make `object`, until `now`. `common` has what the object's
// events have in common.
Event CompiledEvent(const Event& common, const PublishedObject& object, absl::Duration now) {
  Event compiled = common;
  compiled.kind = EventKind::kCompiled;
  compiled.split = object.split;
  compiled.emit = object.emit;
  compiled.optimize = object.optimize;
  compiled.link = object.link;
  compiled.imported = object.imported;
  compiled.inlined.assign(object.inlined.begin(), object.inlined.end());
  compiled.duration = object.split + object.emit + object.link;
  compiled.start = now - compiled.duration;
  if (!object.functions.empty()) compiled.function = std::string(object.functions[0].name);
  compiled.functions = object.function_count;
  compiled.size = object.code_bytes;
  compiled.object_bytes = object.object.size();
  return compiled;
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

void EventSource::Number(Event& event) {
  event.number = ++receivers_->last_number;
  event.thread = gettid();
}

void EventSource::Deliver(Event event) {
  Number(event);
  DeliverNumbered(std::move(event));
}

void EventSource::DeliverNumbered(Event event) {
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
  Deliver(CompiledEvent(event, object, now));
  if (object.functions.empty()) return;
  event.kind = object.is_promotion ? EventKind::kPromoted : EventKind::kPublished;
  event.start = now;
  // Most objects define one function.
  absl::flat_hash_map<absl::string_view, FunctionPlace> places;
  LineTable lines;
  std::optional<UnwindTables> unwind_tables;
  if (object.image != nullptr) {
    if (object.functions.size() > 1) places = FunctionPlaces(*object.image);
    if (receivers_->want_code) {
      lines = SortedLineTable(*object.image);
      unwind_tables.emplace(*object.image);
    }
  }
  for (size_t i = 0; i < object.functions.size(); ++i) {
    const PublishedFunction& function = object.functions[i];
    Event published = event;
    published.function = std::string(function.name);
    published.address = function.body.value();
    const absl::string_view symbol = function.symbol.empty() ? function.name : function.symbol;
    FunctionPlace place;
    if (auto found = places.find(symbol); found != places.end()) {
      place = found->second;
    } else if (object.image != nullptr && places.empty()) {
      place = PlaceOf(*object.image, symbol);
    }
    published.size = place.size;
    if (i > 0 && published.reason == CompileReason::kCalled) {
      published.reason = CompileReason::kAlong;
    }
    if (receivers_->want_code) {
      published.code = std::make_shared<const std::string>(
          function.body.InThisProcess<const char*>(), published.size);
      if (place.size > 0) {
        published.lines = function.lines != nullptr ? function.lines : LinesOf(lines, place);
        published.unwinding = UnwindingOf(*unwind_tables, place);
      }
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

// Numbers and sums in the same order, so that the sums of events in the order of their numbers are
// right. The listeners are called without the mutex.
void EventSource::OnMemory(int64_t change) {
  Event event;
  event.kind = change > 0 ? EventKind::kMemoryReserved : EventKind::kMemoryFreed;
  event.start = SteadyNow();
  event.size = static_cast<size_t>(std::abs(change));
  {
    absl::MutexLock lock(&receivers_->memory_mutex);
    receivers_->memory_used += static_cast<size_t>(change);
    event.memory_used = receivers_->memory_used;
    Number(event);
  }
  DeliverNumbered(std::move(event));
}

}  // namespace firstcall

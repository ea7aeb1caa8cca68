#include "tools/report_file.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/json.h"
#include "tools/readable_name.h"
#include "tools/report_page.h"

namespace firstcall {
namespace {

std::string NameJson(const std::string& name) { return JsonString(ReadableName(name)); }

// The lists of the page's data, filled by the events in their order.
class Data {
 public:
  explicit Data(absl::Duration begin) : begin_(begin) {}

  void Add(const Event& event) {
    switch (event.kind) {
      case EventKind::kModuleAdded:
        modules_.push_back(absl::StrFormat("{\"name\":%s}", JsonString(event.module)));
        if (event.names != nullptr) {
          for (const std::string& name : *event.names) unused_.insert({name, event.module});
        }
        break;
      case EventKind::kFirstCall:
        callers_.insert(event.thread);
        calls_.push_back(
            absl::StrFormat("{\"name\":%s,\"start\":%s,\"time\":%s,\"caller\":%s,\"thread\":%d}",
                            NameJson(event.function), At(event.start), Time(event.duration),
                            NameJson(NameAt(event.caller)), event.thread));
        break;
      case EventKind::kCompiled:
        compiled_[event.thread] = event;
        AddAheadOfNeed(event);
        break;
      case EventKind::kPublished:
        AddBody(event);
        break;
      case EventKind::kPromoted:
        AddPromotion(event);
        break;
      case EventKind::kFailed:
        failures_.push_back(absl::StrFormat("{\"name\":%s,\"start\":%s,\"why\":%s}",
                                            NameJson(event.function), At(event.start),
                                            JsonString(event.status.message())));
        break;
      case EventKind::kMemoryReserved:
      case EventKind::kMemoryFreed:
        memory_.push_back(absl::StrFormat("[%s,%d]", At(event.start), event.memory_used));
        break;
      case EventKind::kRemoved:
      case EventKind::kStubsMade:
        break;
    }
  }

  std::string Lists() const {
    std::vector<std::string> unused;
    for (const auto& [name, module] : unused_) {
      unused.push_back(
          absl::StrFormat("{\"name\":%s,\"module\":%s}", NameJson(name), JsonString(module)));
    }
    Parts other = {};
    for (const auto& [thread, parts] : ahead_of_need_) {
      if (!callers_.contains(thread)) other += parts;
    }
    std::string lists =
        absl::StrFormat(",\n\"other_threads\":{\"split\":%s,\"emit\":%s,\"link\":%s}",
                        Time(other.split), Time(other.emit), Time(other.link));
    const std::pair<const char*, const std::vector<std::string>&> all[] = {
        {"modules", modules_},       {"calls", calls_},  {"functions", functions_},
        {"promotions", promotions_}, {"unused", unused}, {"failures", failures_},
        {"memory", memory_}};
    for (const auto& [name, list] : all) {
      absl::StrAppendFormat(&lists, ",\n\"%s\":[%s]", name, absl::StrJoin(list, ",\n"));
    }
    return lists;
  }

 private:
  struct Body {
    std::string name;
    size_t size = 0;
    absl::Duration start;
  };

  // Of the time that compiling took.
  struct Parts {
    absl::Duration split, emit, link;
    void operator+=(const Parts& parts) {
      split += parts.split;
      emit += parts.emit;
      link += parts.link;
    }
  };

  // Nobody waits for such work, unless a thread of the program does it.
  void AddAheadOfNeed(const Event& event) {
    if (event.reason == CompileReason::kPromoted || event.reason == CompileReason::kContinuation ||
        event.reason == CompileReason::kSpeculated) {
      ahead_of_need_[event.thread] += {event.split, event.emit, event.link};
    }
  }

  static std::string Time(absl::Duration time) {
    return absl::StrFormat("%.4f", absl::ToDoubleMilliseconds(time));
  }
  std::string At(absl::Duration time) const { return Time(time - begin_); }

  std::string NameAt(uint64_t address) const {
    auto found = bodies_.upper_bound(address);
    if (found == bodies_.begin()) return "";
    --found;
    return address - found->first <= found->second.size ? found->second.name : "";
  }

  // The time of a body is that of its object, shared by the functions in it.
  std::string TimeOf(const Event& event) const {
    const auto found = compiled_.find(event.thread);
    if (found == compiled_.end() || found->second.module != event.module) return Time({});
    const Event& compiled = found->second;
    return Time(compiled.duration / std::max<size_t>(compiled.functions, 1));
  }

  void AddBody(const Event& event) {
    unused_.erase({event.function, event.module});
    bodies_[event.address] = {event.function, event.size, event.start};
    first_[{event.function, event.module}] = bodies_[event.address];
    functions_.push_back(absl::StrFormat(
        "{\"name\":%s,\"tier\":%d,\"by\":\"%s\",\"reason\":\"%s\",\"start\":%s,\"time\":%s,"
        "\"size\":%d,\"module\":%s}",
        NameJson(event.function), event.tier, event.is_cached ? "cache" : WordFor(event.generator),
        WordFor(event.reason), At(event.start), TimeOf(event), event.size,
        JsonString(event.module)));
  }

  void AddPromotion(const Event& event) {
    bodies_[event.address] = {event.function, event.size, event.start};
    const Body& first = first_[{event.function, event.module}];
    promotions_.push_back(absl::StrFormat(
        "{\"name\":%s,\"start\":%s,\"time\":%s,\"what\":\"%s%s\",\"before\":%d,\"size\":%d,"
        "\"first\":%s}",
        NameJson(event.function), At(event.start), TimeOf(event),
        event.is_continuation ? "loop left for a continuation" : "optimized body",
        event.is_cached ? ", from the cache" : "", first.size, event.size,
        first.name.empty() ? "0" : At(first.start)));
  }

  const absl::Duration begin_;
  std::map<int64_t, Event> compiled_;       // The last object of each thread.
  std::map<int64_t, Parts> ahead_of_need_;  // By thread.
  absl::flat_hash_set<int64_t> callers_;    // Threads with first calls.
  std::map<uint64_t, Body> bodies_;
  std::map<std::pair<std::string, std::string>, Body> first_;  // By function and module.
  std::set<std::pair<std::string, std::string>> unused_;
  std::vector<std::string> modules_, calls_, functions_, promotions_, failures_, memory_;
};

std::string StatsJson(const Stats& stats) {
  const auto time = [](absl::Duration value) { return absl::ToDoubleMilliseconds(value); };
  return absl::StrFormat(
      "{\"functions_known\":%d,\"functions_compiled\":%d,\"functions_cached\":%d,"
      "\"functions_baseline\":%d,\"promotions_made\":%d,\"promotions_failed\":%d,"
      "\"objects_linked\":%d,\"objects_cached\":%d,\"code_bytes\":%d,\"memory_used\":%d,"
      "\"memory_committed\":%d,\"load\":%.3f,\"split\":%.3f,\"emit\":%.3f,\"link\":%.3f}",
      stats.functions_known, stats.functions_compiled, stats.functions_cached,
      stats.functions_baseline, stats.promotions_made, stats.promotions_failed,
      stats.objects_linked, stats.objects_cached, stats.code_bytes, stats.memory.used.total(),
      stats.memory.committed.total(), time(stats.load), time(stats.split), time(stats.emit),
      time(stats.link));
}

}  // namespace

std::string ReportData(const std::vector<Event>& events, const Stats& stats, absl::Duration begin,
                       absl::Duration end) {
  Data data(begin);
  for (const Event& event : events) data.Add(event);
  return absl::StrFormat("{\"total\":%.4f,\n\"stats\":%s%s}",
                         absl::ToDoubleMilliseconds(end - begin), StatsJson(stats), data.Lists());
}

void ReportFile::OnEvent(const Event& event) {
  absl::MutexLock lock(&mutex_);
  events_.push_back(event);
}

void ReportFile::Write(const Stats& stats) {
  std::vector<Event> events;
  {
    absl::MutexLock lock(&mutex_);
    events = events_;
  }
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.number < b.number; });
  file_.Write(ReportPage(ReportData(events, stats, begin_, SteadyNow())));
}

}  // namespace firstcall

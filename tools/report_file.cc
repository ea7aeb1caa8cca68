#include "tools/report_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/json.h"
#include "tools/report_page.h"

namespace firstcall {
namespace {

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
        calls_.push_back(
            absl::StrFormat("{\"name\":%s,\"start\":%s,\"time\":%s,\"caller\":%s,\"thread\":%d}",
                            JsonString(event.function), At(event.start), Time(event.duration),
                            JsonString(NameAt(event.caller)), event.thread));
        break;
      case EventKind::kCompiled:
        compiled_ = event;
        break;
      case EventKind::kPublished:
        AddBody(event);
        break;
      case EventKind::kPromoted:
        AddPromotion(event);
        break;
      case EventKind::kFailed:
        failures_.push_back(absl::StrFormat("{\"name\":%s,\"start\":%s,\"why\":%s}",
                                            JsonString(event.function), At(event.start),
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
          absl::StrFormat("{\"name\":%s,\"module\":%s}", JsonString(name), JsonString(module)));
    }
    std::string lists;
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
    const bool is_of_it = compiled_.thread == event.thread && compiled_.module == event.module;
    return Time(is_of_it ? compiled_.duration / std::max<size_t>(compiled_.functions, 1)
                         : absl::ZeroDuration());
  }

  void AddBody(const Event& event) {
    unused_.erase({event.function, event.module});
    bodies_[event.address] = {event.function, event.size, event.start};
    first_[{event.function, event.module}] = bodies_[event.address];
    functions_.push_back(absl::StrFormat(
        "{\"name\":%s,\"tier\":%d,\"by\":\"%s\",\"reason\":\"%s\",\"start\":%s,\"time\":%s,"
        "\"size\":%d,\"module\":%s}",
        JsonString(event.function), event.tier,
        event.is_cached ? "cache" : WordFor(event.generator), WordFor(event.reason),
        At(event.start), TimeOf(event), event.size, JsonString(event.module)));
  }

  void AddPromotion(const Event& event) {
    bodies_[event.address] = {event.function, event.size, event.start};
    const Body& first = first_[{event.function, event.module}];
    promotions_.push_back(absl::StrFormat(
        "{\"name\":%s,\"start\":%s,\"time\":%s,\"what\":\"%s%s\",\"before\":%d,\"size\":%d,"
        "\"first\":%s}",
        JsonString(event.function), At(event.start), TimeOf(event),
        event.is_continuation ? "loop left for a continuation" : "optimized body",
        event.is_cached ? ", from the cache" : "", first.size, event.size,
        first.name.empty() ? "0" : At(first.start)));
  }

  const absl::Duration begin_;
  Event compiled_;  // The last object.
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
  std::ofstream file(path_, std::ios::binary);
  file << ReportPage(ReportData(events, stats, begin_, SteadyNow()));
  file.close();
  if (file) return;
  std::fprintf(stderr, "firstcall: warning: cannot write '%s': %s\n", path_.c_str(),
               std::strerror(errno));
}

}  // namespace firstcall

#include "tools/trace_file.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/json.h"

namespace firstcall {
namespace {

// With three decimals. As a number with a point it would be formatted ten times as slowly.
std::string Microseconds(absl::Duration time) {
  const int64_t nanoseconds = std::max<int64_t>(absl::ToInt64Nanoseconds(time), 0);
  return absl::StrCat(nanoseconds / 1000, ".", absl::Dec(nanoseconds % 1000, absl::kZeroPad3));
}

// A slice of a thread's time.
std::string Slice(const Event& event, absl::string_view name, absl::string_view category,
                  absl::Duration start, absl::Duration duration, absl::string_view arguments) {
  return absl::StrFormat(
      "{\"name\":%s,\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%s,\"dur\":%s,\"pid\":%d,\"tid\":%d,"
      "\"args\":{\"number\":%d%s}},\n",
      JsonString(name), category, Microseconds(start), Microseconds(duration), getpid(),
      event.thread, event.number, arguments);
}

std::string Instant(const Event& event, absl::string_view name, absl::string_view arguments) {
  return absl::StrFormat(
      "{\"name\":%s,\"cat\":\"%s\",\"ph\":\"i\",\"s\":\"t\",\"ts\":%s,\"pid\":%d,\"tid\":%d,"
      "\"args\":{\"number\":%d%s}},\n",
      JsonString(name), WordFor(event.kind), Microseconds(event.start), getpid(), event.thread,
      event.number, arguments);
}

std::string ArgumentsOf(const Event& event) {
  return absl::StrFormat(
      ",\"module\":%s,\"tier\":%d,\"generator\":\"%s\",\"reason\":\"%s\",\"cached\":%s",
      JsonString(event.module), event.tier, WordFor(event.generator), WordFor(event.reason),
      event.is_cached ? "true" : "false");
}

std::string InlinedIn(const Event& event) {
  if (event.inlined.empty()) return "";
  return absl::StrCat(",\"inlined\":", JsonString(absl::StrJoin(event.inlined, ", ")));
}

// A compile, and its parts one after the other.
std::string CompileSlices(const Event& event) {
  const std::string name =
      event.function.empty() ? absl::StrCat("data of ", event.module) : event.function;
  std::string text = Slice(event, name, "compile", event.start, event.duration,
                           absl::StrCat(ArgumentsOf(event), ",\"functions\":", event.functions,
                                        ",\"code_bytes\":", event.size, InlinedIn(event)));
  absl::Duration start = event.start;
  const std::pair<const char*, absl::Duration> parts[] = {{"split", event.split},
                                                          {"optimize", event.optimize},
                                                          {"emit", event.emit - event.optimize},
                                                          {"link", event.link}};
  for (const auto& [part, duration] : parts) {
    if (duration > absl::ZeroDuration()) {
      text += Slice(event, part, "part", start, duration, "");
    }
    start += duration;
  }
  return text;
}

std::string Memory(const Event& event) {
  return absl::StrFormat(
      "{\"name\":\"memory\",\"ph\":\"C\",\"ts\":%s,\"pid\":%d,\"args\":{\"bytes\":%d}},\n",
      Microseconds(event.start), getpid(), event.memory_used);
}

}  // namespace

TraceFile::TraceFile(const std::string& path) : file_(path, "[\n") {}

void TraceFile::Note(const Event& event) {
  absl::MutexLock lock(&mutex_);
  bodies_.insert_or_assign(event.address, Body{event.size, event.function});
}

std::string TraceFile::NameAt(uint64_t address) {
  absl::MutexLock lock(&mutex_);
  auto found = bodies_.upper_bound(address);
  if (found == bodies_.begin()) return "";
  --found;
  return address - found->first <= found->second.size ? found->second.name : "";
}

// A compile is followed by what it has published, which may run then: one write for both costs
// less.
void TraceFile::Write(const Event& event, absl::string_view text) {
  if (event.kind == EventKind::kCompiled || event.kind == EventKind::kMemoryReserved ||
      event.kind == EventKind::kMemoryFreed) {
    file_.Prepare(text);
  } else {
    file_.Write(text);
  }
}

void TraceFile::OnEvent(const Event& event) {
  switch (event.kind) {
    case EventKind::kModuleAdded:
      Write(event, Slice(event, absl::StrCat("load ", event.module), "load", event.start,
                         event.duration, absl::StrCat(",\"functions\":", event.functions)));
      break;
    case EventKind::kFirstCall:
      Write(event, Slice(event, absl::StrCat("first call of ", event.function), "wait", event.start,
                         event.duration,
                         absl::StrFormat(",\"module\":%s,\"caller\":%s,\"return\":\"%#x\"",
                                         JsonString(event.module), JsonString(NameAt(event.caller)),
                                         event.caller)));
      break;
    case EventKind::kCompiled:
      Write(event, CompileSlices(event));
      break;
    case EventKind::kPublished:
    case EventKind::kPromoted:
      Note(event);
      Write(event, Instant(event, absl::StrCat(WordFor(event.kind), " ", event.function),
                           absl::StrFormat("%s,\"address\":\"%#x\",\"size\":%d", ArgumentsOf(event),
                                           event.address, event.size)));
      break;
    case EventKind::kFailed:
      Write(event, Instant(event, absl::StrCat("failed ", event.function),
                           absl::StrCat(",\"status\":", JsonString(event.status.message()))));
      break;
    case EventKind::kRemoved:
      Write(event, Instant(event, absl::StrCat("removed ", event.module), ""));
      break;
    case EventKind::kStubsMade:
      break;
    case EventKind::kMemoryReserved:
    case EventKind::kMemoryFreed:
      Write(event, Memory(event));
      break;
  }
}

void TraceFile::Finish() {
  file_.WriteFooter(absl::StrFormat(
      "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":\"firstcall\"}}]\n",
      getpid()));
}

}  // namespace firstcall

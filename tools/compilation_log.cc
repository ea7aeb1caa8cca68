#include "tools/compilation_log.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_format.h"
#include "base/steady_clock.h"
#include "tools/readable_name.h"

namespace firstcall {
namespace {

// "0 baseline", "1 llvm", "0 cache".
std::string SourceOf(const Event& event) {
  return absl::StrFormat("%d %s", event.tier, event.is_cached ? "cache" : WordFor(event.generator));
}

}  // namespace

CompilationLog::CompilationLog() : begin_(SteadyNow()) {}

// Milliseconds since the start, number, tier and generator, reason, address, bytes, name. Written
// at once, so that lines of several threads do not mix.
void CompilationLog::OnEvent(const Event& event) {
  const double time = absl::ToDoubleMilliseconds(event.start - begin_);
  std::string line;
  switch (event.kind) {
    case EventKind::kPublished:
    case EventKind::kPromoted:
      line = absl::StrFormat("%10.3f %6d  %-10s %-12s %#14x %6d  %s::%s%s\n", time, event.number,
                             SourceOf(event), WordFor(event.reason), event.address, event.size,
                             event.module, ReadableName(event.function),
                             event.is_continuation ? " (loop)" : "");
      break;
    case EventKind::kFailed:
      line = absl::StrFormat("%10.3f %6d  %-10s %-12s %s::%s: %s\n", time, event.number, "failed",
                             WordFor(event.reason), event.module, ReadableName(event.function),
                             event.status.message());
      break;
    case EventKind::kRemoved:
      line = absl::StrFormat("%10.3f %6d  %-10s %-12s %s\n", time, event.number, "removed",
                             event.is_detached ? "detached" : "", event.module);
      break;
    default:
      return;
  }
  std::fputs(line.c_str(), stderr);
}

}  // namespace firstcall

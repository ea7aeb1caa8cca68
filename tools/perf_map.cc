#include "tools/perf_map.h"

#include "absl/strings/str_format.h"
#include "tools/readable_name.h"

namespace firstcall {

std::string PerfNameOf(const Event& event) {
  if (event.kind == EventKind::kStubsMade) return event.function;
  return absl::StrFormat("%s [%d %s%s]", ReadableName(event.function), event.tier,
                         event.is_cached ? "cache" : WordFor(event.generator),
                         event.is_continuation ? ", loop" : "");
}

PerfMap::PerfMap() : file_("/tmp/perf-%p.map", "", OutputFile::Name::kGenerated) {}

void PerfMap::OnEvent(const Event& event) {
  if (event.kind != EventKind::kPublished && event.kind != EventKind::kPromoted &&
      event.kind != EventKind::kStubsMade) {
    return;
  }
  file_.Write(absl::StrFormat("%x %x %s\n", event.address, event.size, PerfNameOf(event)));
}

}  // namespace firstcall

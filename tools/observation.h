// The listeners that options of the command ask for: --print-compilation, --trace,
// --report, --perf.
//
// Thread-compatible. Tested in tests/command/observation_test.cc.

#ifndef FIRSTCALL_TOOLS_OBSERVATION_H_
#define FIRSTCALL_TOOLS_OBSERVATION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "memory/page_mapper.h"
#include "seam/event.h"
#include "seam/stats.h"

namespace firstcall {

enum class PerfOutput { kNone, kMap, kJitdump };

struct ObservationOptions {
  bool print_compilation = false;
  PerfOutput perf = PerfOutput::kNone;
  std::string trace_file;   // Empty: none.
  std::string report_file;  // Empty: none.
};

// Makes the listeners.
std::vector<std::shared_ptr<EventListener>> Observe(const ObservationOptions& options);

// The memory for code of which perf looks up the names in its map (tools/perf_map.h).
std::shared_ptr<PageMapper> PagesForPerfMap();

// Completes the files of the listeners that Observe has made. To be called at exit. `stats` returns
// the engine's statistics, and is called only for a report.
void FinishObservation(absl::FunctionRef<Stats()> stats);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_OBSERVATION_H_

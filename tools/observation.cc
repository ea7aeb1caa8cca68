#include "tools/observation.h"

#include "memory/in_process_mapper.h"
#include "tools/compilation_log.h"
#include "tools/perf_jitdump.h"
#include "tools/perf_map.h"
#include "tools/report_file.h"
#include "tools/trace_file.h"

namespace firstcall {
namespace {

// Never destroyed: other threads may use it until the process has ended.
std::shared_ptr<TraceFile>* trace = nullptr;
std::shared_ptr<ReportFile>* report = nullptr;

}  // namespace

std::vector<std::shared_ptr<EventListener>> Observe(const ObservationOptions& options) {
  std::vector<std::shared_ptr<EventListener>> listeners;
  if (options.print_compilation) listeners.push_back(std::make_shared<CompilationLog>());
  if (options.perf == PerfOutput::kMap) listeners.push_back(std::make_shared<PerfMap>());
  if (options.perf == PerfOutput::kJitdump) listeners.push_back(std::make_shared<PerfJitdump>());
  if (!options.trace_file.empty()) {
    trace = new std::shared_ptr<TraceFile>(std::make_shared<TraceFile>(options.trace_file));
    listeners.push_back(*trace);
  }
  if (!options.report_file.empty()) {
    report = new std::shared_ptr<ReportFile>(std::make_shared<ReportFile>(options.report_file));
    listeners.push_back(*report);
  }
  return listeners;
}

std::shared_ptr<PageMapper> PagesForPerfMap() {
  return std::make_shared<InProcessMapper>(InProcessMapper::Pages::kAnonymous);
}

void FinishObservation(absl::FunctionRef<Stats()> stats) {
  if (trace != nullptr) (*trace)->Finish();
  if (report != nullptr) (*report)->Write(stats());
}

}  // namespace firstcall

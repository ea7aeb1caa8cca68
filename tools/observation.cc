#include "tools/observation.h"

#include <mutex>
#include <utility>

#include "base/forks.h"
#include "memory/in_process_mapper.h"
#include "tools/compilation_log.h"
#include "tools/perf_jitdump.h"
#include "tools/perf_map.h"
#include "tools/report_file.h"
#include "tools/trace_file.h"

namespace firstcall {
namespace {

// Held while a listener works. A fork waits for it, so that the child finds no mutex of a listener
// locked by a thread that the child does not have.
std::mutex& ListenersMutex() {
  static auto* const mutex = new std::mutex();
  return *mutex;
}

void LetForksWaitForListeners() {
  static const bool is_done = [] {
    AddForkHandlers({[] { ListenersMutex().lock(); }, [] { ListenersMutex().unlock(); },
                     [] { ListenersMutex().unlock(); }});
    return true;
  }();
  (void)is_done;
}

// A listener for which a fork waits.
class ForkSafeListener final : public EventListener {
 public:
  explicit ForkSafeListener(std::shared_ptr<EventListener> listener)
      : listener_(std::move(listener)) {}

  bool wants_code() const override { return listener_->wants_code(); }
  bool wants_names() const override { return listener_->wants_names(); }

  void OnEvent(const Event& event) override {
    const std::lock_guard<std::mutex> lock(ListenersMutex());
    listener_->OnEvent(event);
  }

 private:
  const std::shared_ptr<EventListener> listener_;
};

// Never destroyed: other threads may use it until the process has ended.
std::shared_ptr<TraceFile>* trace = nullptr;
std::shared_ptr<ReportFile>* report = nullptr;

}  // namespace

std::vector<std::shared_ptr<EventListener>> Observe(const ObservationOptions& options) {
  std::vector<std::shared_ptr<EventListener>> listeners;
  const auto add = [&](std::shared_ptr<EventListener> listener) {
    listeners.push_back(std::make_shared<ForkSafeListener>(std::move(listener)));
  };
  if (options.print_compilation) add(std::make_shared<CompilationLog>());
  if (options.perf == PerfOutput::kMap) add(std::make_shared<PerfMap>());
  if (options.perf == PerfOutput::kJitdump) add(std::make_shared<PerfJitdump>());
  if (!options.trace_file.empty()) {
    trace = new std::shared_ptr<TraceFile>(std::make_shared<TraceFile>(options.trace_file));
    add(*trace);
  }
  if (!options.report_file.empty()) {
    report = new std::shared_ptr<ReportFile>(std::make_shared<ReportFile>(options.report_file));
    add(*report);
  }
  if (!listeners.empty()) LetForksWaitForListeners();
  return listeners;
}

std::shared_ptr<PageMapper> PagesForPerfMap() {
  return std::make_shared<InProcessMapper>(InProcessMapper::Pages::kAnonymous);
}

void FinishObservation(absl::FunctionRef<Stats()> stats) {
  if (trace == nullptr && report == nullptr) return;
  const Stats at_end = report != nullptr ? stats() : Stats();
  const std::lock_guard<std::mutex> lock(ListenersMutex());
  if (trace != nullptr) (*trace)->Finish();
  if (report != nullptr) (*report)->Write(at_end);
}

}  // namespace firstcall

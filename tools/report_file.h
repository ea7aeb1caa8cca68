// --report=FILE: a page that shows what happened. Made at exit, from the events and the statistics.
//
// Thread-safe. Tested in tests/command/report_test.cc.

#ifndef FIRSTCALL_TOOLS_REPORT_FILE_H_
#define FIRSTCALL_TOOLS_REPORT_FILE_H_

#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "seam/event.h"
#include "seam/stats.h"
#include "tools/output_file.h"

namespace firstcall {

class ReportFile final : public EventListener {
 public:
  explicit ReportFile(const std::string& path) : file_(path, ""), begin_(SteadyNow()) {}

  bool wants_names() const override { return true; }
  void OnEvent(const Event& event) override ABSL_LOCKS_EXCLUDED(mutex_);

  // Writes the page. A warning says if that is not possible.
  void Write(const Stats& stats) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  OutputFile file_;
  const absl::Duration begin_;
  absl::Mutex mutex_;
  std::vector<Event> events_ ABSL_GUARDED_BY(mutex_);
};

// The page's data, as JSON: times in milliseconds since `begin`, sizes in bytes. `events` are
// sorted by their numbers.
std::string ReportData(const std::vector<Event>& events, const Stats& stats, absl::Duration begin,
                       absl::Duration end);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_REPORT_FILE_H_

// --trace=FILE: what happens, in the trace event format, which Perfetto and chrome://tracing show:
// for each thread the first calls that waited, compiles with their parts, and promotions; and the
// memory over time.
//
// The file is an array whose end may be missing, so it can be read even if the process was killed:
// what was published is written before it runs.
//
// Thread-safe. Tested in tests/command/observation_test.cc.

#ifndef FIRSTCALL_TOOLS_TRACE_FILE_H_
#define FIRSTCALL_TOOLS_TRACE_FILE_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "seam/event.h"
#include "tools/output_file.h"

namespace firstcall {

class TraceFile final : public EventListener {
 public:
  explicit TraceFile(const std::string& path);

  void OnEvent(const Event& event) override ABSL_LOCKS_EXCLUDED(mutex_);

  // Completes the file as it is now. To be called at exit.
  void Finish();

 private:
  // A body, by its address: which function a caller is in.
  struct Body {
    size_t size = 0;
    std::string name;
  };
  void Write(const Event& event, absl::string_view text);
  void Note(const Event& event) ABSL_LOCKS_EXCLUDED(mutex_);
  std::string NameAt(uint64_t address) ABSL_LOCKS_EXCLUDED(mutex_);

  OutputFile file_;
  absl::Mutex mutex_;
  absl::btree_map<uint64_t, Body> bodies_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_TRACE_FILE_H_

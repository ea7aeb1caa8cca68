// --perf=jitdump: writes compiled code to a file jit-PID.dump, from which `perf inject --jit` makes
// objects with names, code, source lines and unwind tables
// (linux/tools/perf/Documentation/jitdump-specification.txt). Records have times, so that addresses
// that are used again, and optimized bodies, are told apart. The file is in $JITDUMPDIR, or else in
// the working directory.
//
// Thread-safe. Tested in tests/command/observation_test.cc.

#ifndef FIRSTCALL_TOOLS_PERF_JITDUMP_H_
#define FIRSTCALL_TOOLS_PERF_JITDUMP_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/kept_file.h"
#include "seam/event.h"

namespace firstcall {

class PerfJitdump final : public EventListener {
 public:
  PerfJitdump() = default;
  PerfJitdump(const PerfJitdump&) = delete;
  PerfJitdump& operator=(const PerfJitdump&) = delete;

  bool wants_code() const override { return true; }
  void OnEvent(const Event& event) override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The file stays mapped until the process ends, because perf looks at the mappings.
  bool Open() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Writes a record, or leaves the file as it was, says so, and gives up.
  bool Write(absl::string_view bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Fail(const char* operation, absl::string_view reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  std::string path_ ABSL_GUARDED_BY(mutex_);
  std::optional<KeptFile> file_ ABSL_GUARDED_BY(mutex_);
  uint64_t end_ ABSL_GUARDED_BY(mutex_) = 0;  // Of the last record in the file.
  uint64_t owner_ ABSL_GUARDED_BY(mutex_) = 0;
  bool has_failed_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t last_index_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_PERF_JITDUMP_H_

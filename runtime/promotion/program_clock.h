// How much processor time the program itself has used: the process's, without that of optimization.
//
// Thread-compatible: the promoter's lock guards it. Tested in tests/runtime/program_clock_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_PROGRAM_CLOCK_H_
#define FIRSTCALL_RUNTIME_PROMOTION_PROGRAM_CLOCK_H_

#include <cstdint>

#include "absl/time/time.h"

namespace firstcall {

// The processor time that the process and the calling thread have used.
absl::Duration ProcessTime();
absl::Duration ThreadTime();

class ProgramClock {
 public:
  // Notes that a thread of the process has used `time` for optimization.
  void NoteOptimization(absl::Duration time) { optimization_ += time; }

  // Returns what the program has used since the last call; `process_time` is as ProcessTime. In a
  // forked child the clock begins anew.
  absl::Duration TakeTime(absl::Duration process_time);

 private:
  absl::Duration last_;          // What the process had used at the last TakeTime.
  absl::Duration optimization_;  // Since the last TakeTime.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_PROGRAM_CLOCK_H_

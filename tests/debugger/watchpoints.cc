#include "tests/debugger/watchpoints.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace firstcall {

bool WatchpointsAreIgnored() {
  static volatile int watched = 0;
  perf_event_attr watchpoint = {};
  watchpoint.type = PERF_TYPE_BREAKPOINT;
  watchpoint.size = sizeof(watchpoint);
  watchpoint.bp_type = HW_BREAKPOINT_W;
  watchpoint.bp_addr = reinterpret_cast<uintptr_t>(&watched);
  watchpoint.bp_len = HW_BREAKPOINT_LEN_4;
  watchpoint.exclude_kernel = 1;
  const auto file = static_cast<int>(syscall(SYS_perf_event_open, &watchpoint, /*pid=*/0,
                                             /*cpu=*/-1, /*group_fd=*/-1, /*flags=*/0UL));
  if (file < 0) return false;
  watched = 1;
  uint64_t hits = 0;
  const bool is_counted = read(file, &hits, sizeof(hits)) == sizeof(hits);
  close(file);
  return is_counted && hits == 0;
}

}  // namespace firstcall

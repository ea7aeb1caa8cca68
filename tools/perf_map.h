// --perf=map: tells Linux's perf the names of compiled functions, by a file /tmp/perf-PID.map
// (linux/tools/perf/Documentation/jit-interface.txt). perf looks there for code in anonymous memory
// only, so the command's code then lies in such memory. What is generated does not change.
//
// A line names one body: its address, its size, and "name [0 baseline]", where 0 is the tier. Names
// of freed code stay in the file, so if addresses are used again, perf may take the older one;
// --perf=jitdump has no such problem.
//
// Thread-safe. Tested in tests/command/observation_test.cc.

#ifndef FIRSTCALL_TOOLS_PERF_MAP_H_
#define FIRSTCALL_TOOLS_PERF_MAP_H_

#include <string>

#include "seam/event.h"
#include "tools/output_file.h"

namespace firstcall {

class PerfMap final : public EventListener {
 public:
  PerfMap();

  void OnEvent(const Event& event) override;

 private:
  OutputFile file_;
};

// "name [0 baseline]", "name [1 llvm]", "name [1 cache, loop]"; what perf shows.
std::string PerfNameOf(const Event& event);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_PERF_MAP_H_

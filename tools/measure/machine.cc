#include "tools/measure/machine.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/measure/process_run.h"

namespace firstcall::measure {
namespace {

// The value of the first "model name : value" line. Linux on AArch64 has no such line.
std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!absl::StartsWith(line, "model name")) continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    return std::string(absl::StripAsciiWhitespace(absl::string_view(line).substr(colon + 1)));
  }
  return "unknown";
}

}  // namespace

Machine DescribeMachine() {
  Machine machine;
  machine.cpu = CpuModel();
  machine.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  machine.kernel = "unknown";
  if (utsname name; uname(&name) == 0) {
    machine.kernel = absl::StrCat(name.sysname, " ", name.release, " ", name.machine);
  }
  if (getloadavg(&machine.load, 1) != 1) machine.load = 0;
  return machine;
}

absl::StatusOr<std::string> DescribeProgram(const std::string& program) {
  const absl::StatusOr<ProcessRun> run = RunProcess({program, "--version"}, absl::Seconds(10));
  if (!run.ok()) return run.status();
  for (absl::string_view line : absl::StrSplit(run->output, '\n')) {
    if (absl::StrContains(line, "version")) {
      return std::string(absl::StripAsciiWhitespace(line));
    }
  }
  return "unknown";
}

}  // namespace firstcall::measure

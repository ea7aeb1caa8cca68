#include "benchmarks/startup_options.h"

#include <fnmatch.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace firstcall::benchmarks {
namespace {

// Applies one argument. False if it is unknown or malformed.
bool Apply(const std::string& argument, StartupOptions* options) {
  const size_t equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  if (equals == std::string::npos) {
    if (name == "--instructions") return options->counts_instructions = true;
    if (name == "--second-start") return options->counts_second_start = true;
    return name == "--help" && (options->help = true);
  }
  const std::string value = argument.substr(equals + 1);
  if (name == "--runs") return absl::SimpleAtoi(value, &options->runs) && options->runs > 0;
  if (value.empty()) return false;
  if (name == "--filter") return options->filters = absl::StrSplit(value, ','), true;
  if (name == "--workloads") return options->workloads = value, true;
  if (name == "--firstcall") return options->firstcall = value, true;
  if (name == "--before") return options->before = value, true;
  if (name == "--option") return options->firstcall_options.push_back(value), true;
  if (name == "--lli") return options->lli = value, true;
  if (name == "--json") return options->json = value, true;
  return false;
}

}  // namespace

const absl::string_view kStartupUsage =
    "usage: startup [--workloads=DIR] [--runs=5] [--filter=GLOB,...] [--json=FILE]\n"
    "               [--firstcall=PATH] [--lli=PATH] [--before=PATH]\n"
    "       startup --instructions [--option=OPTION]... [--second-start] [--workloads=DIR]\n"
    "               [--filter=GLOB,...] [--firstcall=PATH] [--before=PATH]\n"
    "\n"
    "  --workloads  where the programs are, or are to be fetched and built\n"
    "               (default: benchmarks/workloads in the source tree)\n"
    "  --runs       rounds; slow contestants take part in fewer, brief ones in more\n"
    "  --filter     runs only these, as in --filter='sqO2/*,chain_*/firstcall*'\n"
    "  --json       file for every sample and the machine's description\n"
    "  --firstcall  another firstcall than the one this was built with\n"
    "  --lli        another lli than Debian's of this LLVM\n"
    "  --before     another firstcall, for instance with another LLVM, which takes part, too\n"
    "  --instructions  counts firstcall's instructions with callgrind, in place of measuring "
    "times,\n"
    "               and prints their ratio to those of --before\n"
    "  --option     an option for firstcall; may be repeated\n"
    "  --second-start  counts those of a start that finds its code in a cache\n";

bool Selects(const StartupOptions& options, absl::string_view workload,
             absl::string_view contestant) {
  if (options.filters.empty()) return true;
  const std::string pair = absl::StrCat(workload, "/", contestant);
  return std::any_of(options.filters.begin(), options.filters.end(), [&](const std::string& glob) {
    return fnmatch(glob.c_str(), pair.c_str(), 0) == 0;
  });
}

absl::StatusOr<StartupOptions> ParseStartupOptions(const std::vector<std::string>& arguments) {
  StartupOptions options;
  for (const std::string& argument : arguments) {
    if (!Apply(argument, &options)) {
      return absl::InvalidArgumentError(absl::StrCat("parse options: ", argument));
    }
  }
  return options;
}

}  // namespace firstcall::benchmarks

#include "tools/bench_options.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"

namespace firstcall {
namespace {

// Those of firstcall's options that would take the caches out of bench's hands.
constexpr absl::string_view kOptionsOfTheCache[] = {"object-cache", "object-cache-dir",
                                                    "no-object-cache", "enable-cache-manager"};

absl::Status ParseSeconds(absl::string_view name, const std::string& value, absl::Duration* time) {
  double seconds = 0;
  if (!absl::SimpleAtod(value, &seconds) || !std::isfinite(seconds) || seconds <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("'--", name, "=", value, "' is not a number of seconds"));
  }
  *time = absl::Seconds(seconds);
  return absl::OkStatus();
}

absl::Status ParseRuns(const std::string& value, int* runs) {
  if (absl::SimpleAtoi(value, runs) && *runs > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("'--runs=", value, "' is not a number of runs, 1 or more"));
}

absl::Status ParseOption(const std::string& argument, BenchOptions* options) {
  const size_t dashes = absl::StartsWith(argument, "--") ? 2 : 1;
  const size_t equals = argument.find('=');
  const std::string name = argument.substr(dashes, equals - dashes);
  const bool has_value = equals != std::string::npos;
  const std::string value = has_value ? argument.substr(equals + 1) : "";
  if (name == "help") {
    options->help = true;
    return absl::OkStatus();
  }
  struct Text {
    absl::string_view name;
    std::string* place;
  };
  const Text texts[] = {{"native", &options->native},
                        {"input", &options->input},
                        {"json", &options->json},
                        {"html", &options->html}};
  for (const Text& text : texts) {
    if (name != text.name) continue;
    if (value.empty()) return absl::InvalidArgumentError(absl::StrCat("'--", name, "' of what?"));
    *text.place = value;
    return absl::OkStatus();
  }
  if (name == "runs") return ParseRuns(value, &options->runs);
  if (name == "time-limit") return ParseSeconds(name, value, &options->time_limit);
  if (name == "allowance") return ParseSeconds(name, value, &options->allowance);
  if (name == "lli") {
    if (!has_value) return absl::InvalidArgumentError("'--lli' of what?");
    options->lli = value;
    return absl::OkStatus();
  }
  for (absl::string_view refused : kOptionsOfTheCache) {
    if (name != refused) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "'", argument, "' cannot be used: bench itself chooses the cache of each start"));
  }
  options->engine_options.push_back(argument);
  return absl::OkStatus();
}

}  // namespace

const char kBenchUsage[] =
    "usage: firstcall bench [OPTIONS] PROGRAM [ARGUMENTS]\n"
    "\n"
    "Measures whole runs of PROGRAM (bitcode or .ll): the first start with an empty cache, the\n"
    "second start, lli if it is installed, and an executable if one is given. They run in turns.\n"
    "\n"
    "  --native=EXE         the same program, compiled ahead of time\n"
    "  --lli=PATH           the lli to compare with (default: LLVM's of firstcall's version, or "
    "lli; empty: none)\n"
    "  --input=FILE         the program's standard input (default: empty)\n"
    "  --runs=N             runs of each (default: 11)\n"
    "  --time-limit=SECONDS a run that takes longer is killed, and gets no second one (default: "
    "60)\n"
    "  --allowance=SECONDS  what all runs of one contestant may take; slow ones get fewer runs\n"
    "                       (default: 60)\n"
    "  --json=FILE          write every run and all figures\n"
    "  --html=FILE          write a page with plots\n"
    "\n"
    "Other options (as --name=value) are firstcall's, such as --tier=0.\n";

absl::StatusOr<BenchOptions> ParseBenchOptions(const std::vector<std::string>& arguments) {
  BenchOptions options;
  size_t i = 0;
  for (; i < arguments.size() && absl::StartsWith(arguments[i], "-"); ++i) {
    if (arguments[i] == "-") {
      return absl::InvalidArgumentError("bench runs a program many times, so it must be a file");
    }
    FIRSTCALL_RETURN_IF_ERROR(ParseOption(arguments[i], &options));
  }
  if (options.help) return options;
  if (i == arguments.size()) {
    return absl::InvalidArgumentError("bench of what? 'firstcall bench --help' explains");
  }
  options.program = arguments[i];
  options.arguments.assign(arguments.begin() + i + 1, arguments.end());
  return options;
}

}  // namespace firstcall

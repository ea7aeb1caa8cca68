// The long run of differential testing: random programs, run natively and by firstcall.
//
//   bazel run -c opt //tests/differential -- --csmith-seeds=1000 --stress-seeds=1000 \
//       --attribute-seeds=200
//
// Prints a line of totals for each kind of programs; exits with 1 if anything is wrong.

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "tests/differential/campaign.h"
#include "tests/differential/generator.h"
#include "tools/measure/temporary_directory.h"

namespace firstcall::testing {
namespace {

constexpr char kUsage[] =
    "usage: differential [--csmith-seeds=N] [--stress-seeds=N] [--attribute-seeds=N]\n"
    "                    [--first-seed=1] [--jobs=2] [--timeout=2] [--keep=DIR] "
    "[--firstcall=PATH]\n"
    "                    [--quick] [--decorated]\n"
    "\n"
    "  --csmith-seeds  how many C programs of Csmith\n"
    "  --stress-seeds  how many IR programs of llvm-stress\n"
    "  --attribute-seeds  how many IR programs, of ten functions each with random attributes, for\n"
    "                  x86-64; also compares optimized code for this machine's CPU and the "
    "program's\n"
    "  --first-seed    of all\n"
    "  --jobs          programs checked at the same time\n"
    "  --timeout       seconds; a program that natively takes longer is skipped, and counted\n"
    "  --keep          where programs with a mismatch stay (default: a new directory in /tmp)\n"
    "  --firstcall     another firstcall than the one this was built with\n"
    "  --quick         in three ways instead of ten: those in which LLVM generates little code\n"
    "  --decorated     programs of Csmith and llvm-stress with debug information and hardening\n";

struct Options {
  CampaignOptions campaign;
  uint32_t first_seed = 1;
  int csmith_seeds = 0;
  int stress_seeds = 0;
  int attribute_seeds = 0;
};

bool Apply(const std::string& argument, Options* options) {
  if (argument == "--quick") return options->campaign.form.is_quick = true;
  if (argument == "--decorated") return options->campaign.form.is_decorated = true;
  const size_t equals = argument.find('=');
  if (equals == std::string::npos) return false;
  const std::string name = argument.substr(0, equals);
  const std::string value = argument.substr(equals + 1);
  CampaignOptions& campaign = options->campaign;
  if (name == "--csmith-seeds") return absl::SimpleAtoi(value, &options->csmith_seeds);
  if (name == "--stress-seeds") return absl::SimpleAtoi(value, &options->stress_seeds);
  if (name == "--attribute-seeds") return absl::SimpleAtoi(value, &options->attribute_seeds);
  if (name == "--first-seed") return absl::SimpleAtoi(value, &options->first_seed);
  if (name == "--jobs") return absl::SimpleAtoi(value, &campaign.jobs) && campaign.jobs > 0;
  if (name == "--timeout") {
    int seconds = 0;
    const bool is_number = absl::SimpleAtoi(value, &seconds) && seconds > 0;
    campaign.native_limit = absl::Seconds(seconds);
    return is_number;
  }
  if (name == "--keep") return campaign.keep = value, !value.empty();
  if (name == "--firstcall") return campaign.tools.firstcall = value, !value.empty();
  return false;
}

// Makes the directory, and its path absolute: as the user meant it, who has not changed to where
// `bazel run` starts programs.
absl::Status MakeKeepDirectory(std::string* keep) {
  if (keep->empty()) {
    absl::StatusOr<measure::TemporaryDirectory> directory =
        measure::TemporaryDirectory::Make("differential");
    if (directory.ok()) *keep = std::move(*directory).Keep();
    return directory.status();
  }
  const char* directory = getenv("BUILD_WORKING_DIRECTORY");
  *keep =
      (directory == nullptr ? std::filesystem::current_path() : std::filesystem::path(directory)) /
      *keep;
  std::error_code error;
  std::filesystem::create_directories(*keep, error);
  return error ? absl::InternalError(absl::StrCat("make ", *keep, ": ", error.message()))
               : absl::OkStatus();
}

absl::StatusOr<Options> Prepare(int argc, char** argv) {
  Options options;
  FIRSTCALL_ASSIGN_OR_RETURN(options.campaign.tools, FindTools(argv[0]));
  for (int i = 1; i < argc; ++i) {
    if (!Apply(argv[i], &options)) {
      return absl::InvalidArgumentError(absl::StrCat("parse options: ", argv[i], "\n", kUsage));
    }
  }
  if (options.csmith_seeds <= 0 && options.stress_seeds <= 0 && options.attribute_seeds <= 0) {
    return absl::InvalidArgumentError(absl::StrCat("no seeds\n", kUsage));
  }
  FIRSTCALL_RETURN_IF_ERROR(MakeKeepDirectory(&options.campaign.keep));
  return options;
}

bool Check(const Options& options, Source source, int count) {
  if (count <= 0) return true;
  const Totals totals = CheckSeeds(options.campaign, source, options.first_seed, count, std::cout);
  std::cout << SourceName(source) << ": " << totals << std::endl;
  return totals.runs > 0 && totals.mismatches == 0 && totals.not_made == 0;
}

}  // namespace
}  // namespace firstcall::testing

int main(int argc, char** argv) {
  using namespace firstcall::testing;  // NOLINT: the names above
  const absl::StatusOr<Options> options = Prepare(argc, argv);
  if (!options.ok()) {
    std::cerr << "differential: " << options.status().message() << std::endl;
    return 2;
  }
  const bool csmith_is_good = Check(*options, Source::kCsmith, options->csmith_seeds);
  const bool stress_is_good = Check(*options, Source::kStress, options->stress_seeds);
  const bool attributes_are_good = Check(*options, Source::kAttributes, options->attribute_seeds);
  std::error_code not_empty;
  std::filesystem::remove(options->campaign.keep, not_empty);
  return csmith_is_good && stress_is_good && attributes_are_good ? 0 : 1;
}

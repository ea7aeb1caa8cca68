// Damages files of bitcode and tests what the readers and the baseline code generator make of them:
//
//   damage_main [--changes=N] [--seed=S] [--first=K] [--compare] [--keep=DIR] FILE...
//
// Tries the changes K to K+N-1 of the series S on each file. The number of a change is printed
// before it is tried, so that a crash can be repeated: --first=THAT --changes=1. Reports a change
// that takes more than 10 seconds, or more memory than 64 MiB plus 32 times the file.
// --compare: what is accepted must be what LLVM's reader reads, as far as that accepts it.
// --keep: writes each changed file that is accepted with all its bodies into the existing directory
// DIR, as NAME-NUMBER.bc; run_damaged.py runs them.
//
// Prints how many changes were accepted and refused. The exit code is 1 if anything was reported.

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/bitcode/allocation_meter.h"
#include "tests/bitcode/compare_in_child.h"
#include "tests/bitcode/damage.h"
#include "tests/bitcode/read_and_compile.h"

namespace firstcall::testing {
namespace {

constexpr absl::Duration kLongest = absl::Seconds(10);

struct Arguments {
  uint64_t changes = 1000, seed = 1, first = 0;
  bool compares = false;
  std::string keep;  // Empty: nothing is kept.
  std::vector<std::string> files;
};

struct Tally {
  uint64_t refused = 0;   // The module itself was.
  uint64_t partly = 0;    // Some bodies were refused.
  uint64_t accepted = 0;  // With all bodies.
  uint64_t compiled = 0;  // Bodies.
  uint64_t equal = 0;     // Modules that were compared with what LLVM reads.
  uint64_t reported = 0;
  size_t most_memory = 0;
  absl::Duration longest;
};

class Campaign {
 public:
  explicit Campaign(const Arguments& arguments) : arguments_(arguments) {}

  void Run(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream contents;
    contents << file.rdbuf();
    const std::string original = contents.str();
    std::cout << path << std::endl;
    const std::string name = std::filesystem::path(path).stem();
    for (uint64_t i = 0; i < arguments_.changes; ++i) Try(original, name, arguments_.first + i);
  }
  const Tally& tally() const { return tally_; }

 private:
  void Try(const std::string& original, const std::string& name, uint64_t number) {
    std::printf("\r%llu ", static_cast<unsigned long long>(number));
    std::fflush(stdout);
    const std::string damaged = Damaged(original, arguments_.seed, number);
    alarm(60);  // Ends the process if it hangs.
    const absl::Time start = absl::Now();
    AllocationMeter::Start((size_t{64} << 20) + 32 * damaged.size());
    const ReadAndCompile::Outcome outcome = read_and_compile_.Run(damaged);
    tally_.most_memory = std::max(tally_.most_memory, AllocationMeter::Peak());
    AllocationMeter::Stop();
    const absl::Duration time = absl::Now() - start;
    alarm(0);
    tally_.longest = std::max(tally_.longest, time);
    if (time > kLongest) Report("it took " + absl::FormatDuration(time));
    ++(!outcome.module.ok()    ? tally_.refused
       : outcome.accepts_all() ? tally_.accepted
                               : tally_.partly);
    tally_.compiled += outcome.compiled;
    if (!outcome.accepts_all()) return;
    if (arguments_.compares) Compare(damaged);
    if (!arguments_.keep.empty()) Keep(damaged, absl::StrCat(name, "-", number, ".bc"));
  }

  void Keep(const std::string& damaged, const std::string& name) {
    std::ofstream file(std::filesystem::path(arguments_.keep) / name, std::ios::binary);
    if (!(file << damaged).flush()) Report(absl::StrCat("cannot write ", name));
  }

  void Compare(const std::string& damaged) {
    const ChildComparison comparison = CompareReadersInChild(damaged);
    if (comparison.verdict == ChildVerdict::kEqual) ++tally_.equal;
    if (comparison.verdict == ChildVerdict::kDifferent) Report(comparison.difference);
  }

  void Report(const std::string& what) {
    ++tally_.reported;
    std::cout << ": " << what << std::endl;
  }

  const Arguments& arguments_;
  ReadAndCompile read_and_compile_;
  Tally tally_;
};

// False if the arguments are wrong.
bool Parse(const std::vector<std::string>& given, Arguments& arguments) {
  for (absl::string_view argument : given) {
    bool is_good = true;
    if (argument == "--compare") {
      arguments.compares = true;
    } else if (absl::ConsumePrefix(&argument, "--changes=")) {
      is_good = absl::SimpleAtoi(argument, &arguments.changes);
    } else if (absl::ConsumePrefix(&argument, "--seed=")) {
      is_good = absl::SimpleAtoi(argument, &arguments.seed);
    } else if (absl::ConsumePrefix(&argument, "--first=")) {
      is_good = absl::SimpleAtoi(argument, &arguments.first);
    } else if (absl::ConsumePrefix(&argument, "--keep=")) {
      arguments.keep = std::string(argument);
      is_good = std::filesystem::is_directory(arguments.keep);
    } else {
      arguments.files.emplace_back(argument);
    }
    if (!is_good) return false;
  }
  return !arguments.files.empty();
}

int Run(const std::vector<std::string>& given) {
  Arguments arguments;
  if (!Parse(given, arguments)) {
    std::cerr << "usage: damage_main [--changes=N] [--seed=S] [--first=K] [--compare] [--keep=DIR] "
                 "FILE...\n";
    return 2;
  }
  Campaign campaign(arguments);
  for (const std::string& path : arguments.files) campaign.Run(path);
  const Tally& tally = campaign.tally();
  std::cout << "\nmodules refused " << tally.refused << ", accepted in part " << tally.partly
            << ", accepted " << tally.accepted << " (equal to LLVM's " << tally.equal
            << "), functions compiled " << tally.compiled << ", reported " << tally.reported
            << "; most memory " << tally.most_memory << " bytes, longest " << tally.longest
            << std::endl;
  return tally.reported == 0 ? 0 : 1;
}

}  // namespace
}  // namespace firstcall::testing

int main(int argc, char** argv) { return firstcall::testing::Run({argv + 1, argv + argc}); }

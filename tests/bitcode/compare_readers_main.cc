// Compares the reader of bitcode with LLVM's on whole files:
//
//   compare_readers [--least_equal=PERCENT] FILE...
//
// Each file is bitcode, or a module in assembly text, which is assembled first. Prints what differs
// and, at the end, counts. The exit code is 1 if anything differs, if the reader of bitcode calls
// anything invalid that LLVM takes, or if fewer than PERCENT of the functions are equal.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "tests/bitcode/compare_readers.h"

namespace firstcall::testing {
namespace {

constexpr absl::string_view kLeastEqual = "--least_equal=";

struct Totals {
  int files = 0;
  int unreadable = 0;  // Files that LLVM does not accept.
  ReaderComparison functions;
};

absl::StatusOr<std::string> BitcodeOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream contents;
  contents << file.rdbuf();
  if (!file) return absl::NotFoundError("cannot be read");
  if (absl::EndsWith(path, ".ll")) return AssembleToBitcode(contents.str());
  return contents.str();
}

void PrintAll(absl::string_view path, absl::string_view what,
              const std::vector<std::string>& details) {
  for (const std::string& detail : details) {
    std::cout << path << ": " << what << ": " << detail << std::endl;
  }
}

void Compare(const std::string& path, Totals& totals) {
  ++totals.files;
  const absl::StatusOr<std::string> bitcode = BitcodeOf(path);
  const absl::StatusOr<ReaderComparison> comparison =
      bitcode.ok() ? CompareReaders(*bitcode) : bitcode.status();
  if (!comparison.ok()) {
    ++totals.unreadable;
    std::cout << path << ": not compared: " << comparison.status().message() << std::endl;
    return;
  }
  PrintAll(path, "different", comparison->different);
  PrintAll(path, "invalid", comparison->invalid);
  totals.functions.Add(*comparison);
}

// Returns the share of functions that are equal, in percent.
double Print(const Totals& totals) {
  const ReaderComparison& functions = totals.functions;
  for (const auto& [reason, count] : functions.refused) {
    std::cout << "refused " << count << ": " << reason << "\n";
  }
  const int bad = static_cast<int>(functions.different.size() + functions.invalid.size());
  const int all = functions.equal + functions.refused_count() + bad;
  const double share = all == 0 ? 0 : 100.0 * functions.equal / all;
  std::cout << "files " << totals.files << ", not compared " << totals.unreadable
            << "; functions equal " << functions.equal << " (" << share << "%), refused "
            << functions.refused_count() << ", different " << functions.different.size()
            << ", invalid " << functions.invalid.size() << std::endl;
  return share;
}

int Run(const std::vector<std::string>& arguments) {
  double least_equal = 0;
  Totals totals;
  for (const std::string& argument : arguments) {
    if (absl::StartsWith(argument, kLeastEqual)) {
      least_equal = std::atof(argument.c_str() + kLeastEqual.size());
    } else {
      Compare(argument, totals);
    }
  }
  if (totals.files == 0) {
    std::cerr << "usage: compare_readers [--least_equal=PERCENT] FILE...\n";
    return 2;
  }
  const double share = Print(totals);
  const bool is_good = totals.functions.different.empty() && totals.functions.invalid.empty();
  return is_good && share >= least_equal ? 0 : 1;
}

}  // namespace
}  // namespace firstcall::testing

int main(int argc, char** argv) { return firstcall::testing::Run({argv + 1, argv + argc}); }

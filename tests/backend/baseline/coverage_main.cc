// Prints which share of programs the baseline code generator covers, and why not the rest.
//
//   bazel run -c opt //tests/backend/baseline:coverage_of -- FILE...
//
// Each file is bitcode.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tests/backend/baseline/coverage_count.h"

int main(int argc, char** argv) {
  int failures = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string bitcode((std::istreambuf_iterator<char>(file)),
                              std::istreambuf_iterator<char>());
    const absl::StatusOr<firstcall::baseline::CoverageCount> count =
        firstcall::baseline::CountCoverage(bitcode);
    const std::string text = count.ok() ? firstcall::baseline::TextOf(*count)
                                        : absl::StrCat(count.status().ToString(), "\n");
    std::printf("%s: %s", argv[i], text.c_str());
    if (!count.ok()) ++failures;
  }
  return failures == 0 ? 0 : 1;
}

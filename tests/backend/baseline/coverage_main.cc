// Prints which share of programs the baseline code generator covers, and why not the rest.
//
//   bazel run -c opt //tests/backend/baseline:coverage_of -- [--sum] FILE...
//
// Each file is bitcode. With --sum, there is one count for all files together.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/backend/baseline/coverage_count.h"

int main(int argc, char** argv) {
  int failures = 0;
  const bool is_sum = argc > 1 && absl::string_view(argv[1]) == "--sum";
  firstcall::baseline::CoverageCount sum;
  for (int i = is_sum ? 2 : 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string bitcode((std::istreambuf_iterator<char>(file)),
                              std::istreambuf_iterator<char>());
    const absl::StatusOr<firstcall::baseline::CoverageCount> count =
        firstcall::baseline::CountCoverage(bitcode);
    if (!count.ok()) ++failures;
    if (is_sum && count.ok()) {
      firstcall::baseline::Add(*count, sum);
      continue;
    }
    const std::string text = count.ok() ? firstcall::baseline::TextOf(*count)
                                        : absl::StrCat(count.status().ToString(), "\n");
    std::printf("%s: %s", argv[i], text.c_str());
  }
  if (is_sum) std::printf("sum: %s", firstcall::baseline::TextOf(sum).c_str());
  return failures == 0 ? 0 : 1;
}

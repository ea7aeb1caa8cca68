// Prints which loops of programs a first body can leave for optimized code, and why not the others.
//
//   bazel run -c opt //tests/compiler:loops_of -- FILE...
//
// Each file is bitcode. The last line is the sum of all files.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/statusor.h"
#include "tests/compiler/loop_count.h"

int main(int argc, char** argv) {
  int failures = 0;
  firstcall::LoopCount sum;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string bitcode((std::istreambuf_iterator<char>(file)),
                              std::istreambuf_iterator<char>());
    const absl::StatusOr<firstcall::LoopCount> count = firstcall::CountLoops(bitcode);
    if (!count.ok()) {
      ++failures;
      std::printf("%s: %s\n", argv[i], count.status().ToString().c_str());
      continue;
    }
    std::printf("%s: %s", argv[i], firstcall::TextOf(*count).c_str());
    firstcall::Add(*count, sum);
  }
  std::printf("sum: %s", firstcall::TextOf(sum).c_str());
  return failures == 0 ? 0 : 1;
}

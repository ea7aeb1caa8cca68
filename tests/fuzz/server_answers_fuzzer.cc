// Fuzzes what comes from servers that machines share a cache by, with libFuzzer:
//
//   bazel build --config=fuzz //tests/fuzz:server_answers_fuzzer
//   bazel-bin/tests/fuzz/server_answers_fuzzer -max_total_time=600 -max_len=400

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "tests/fuzz/server_answers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  firstcall::testing::TryServerAnswers(
      absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}

// Fuzzes the reader of bitcode, and the baseline code generator with what the reader accepts, with
// libFuzzer:
//
//   bazel run //tests/bitcode:write_samples -- /tmp/samples
//   bazel build --config=fuzz //tests/fuzz:bitcode_fuzzer
//   bazel-bin/tests/fuzz/bitcode_fuzzer -fork=2 -timeout=10 -rss_limit_mb=600 -max_len=20000
//       -max_total_time=600 -artifact_prefix=/tmp/crashes/ /tmp/corpus /tmp/samples
//
// No part of LLVM is asked, so each crash is a fault of ours; `bitcode_fuzzer FILE` repeats it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "tests/bitcode/damage.h"
#include "tests/bitcode/read_and_compile.h"

namespace {

absl::string_view ViewOf(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// Every other change is one of Damaged: libFuzzer's own move bytes, and few of them leave a stream
// of bits readable.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (size == 0 || seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string damaged = firstcall::testing::Damaged(ViewOf(data, size), seed, 0);
  const size_t length = std::min(damaged.size(), max_size);
  std::copy_n(damaged.begin(), length, data);
  return length;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* const read_and_compile = new firstcall::testing::ReadAndCompile;
  (void)read_and_compile->Run(ViewOf(data, size));
  return 0;
}

// Fuzzes the loading of modules with libFuzzer:
//
//   bazel run //tests/fuzz:write_corpus -- /tmp/corpus
//   bazel build --config=fuzz //tests/fuzz:load_fuzzer
//   bazel-bin/tests/fuzz/load_fuzzer -fork=2 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1
//       -timeout=20 -max_total_time=600 -artifact_prefix=/tmp/crashes/ /tmp/corpus
//
// LLVM's reader of bitcode crashes on some damage, so the run must go on after a crash. One is ours
// if the first frame that has a name is; `load_fuzzer FILE` repeats it.

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/load.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace firstcall;  // NOLINT: the names below
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (Mode mode : {Mode::kLazy, Mode::kEager}) {
    (void)testing::LoadAndPrepare(bytes, testing::CorpusNames(), mode);
  }
  return 0;
}

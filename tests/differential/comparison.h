// Runs a program natively and by firstcall, and says where they differ: in standard output, exit
// status or signal.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_DIFFERENTIAL_COMPARISON_H_
#define FIRSTCALL_TESTS_DIFFERENTIAL_COMPARISON_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/differential/program.h"

namespace firstcall::testing {

struct Mismatch {
  Variant variant;
  std::string description;  // one line
  std::string script;       // path of a shell script that shows the difference, and exits with 1
};

struct Comparison {
  enum class Kind {
    kFull,
    // The two executables disagree, so the program has no defined result: a run counts as the same
    // if it ends by itself, or as one of the executables does.
    kEndOnly,
    // An executable takes longer than the limit: firstcall did not run.
    kTooSlow,
  };

  Kind kind = Kind::kFull;
  int runs = 0;  // of firstcall
  std::vector<Mismatch> mismatches;
};

// Compares all variants of `program`. For each mismatch leaves a script in the program's directory.
// firstcall may take much longer than an executable, not for ever. Errors: those of running.
absl::StatusOr<Comparison> Compare(const Program& program, const std::string& firstcall,
                                   absl::Duration native_limit);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_DIFFERENTIAL_COMPARISON_H_

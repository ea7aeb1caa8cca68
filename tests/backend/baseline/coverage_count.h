// Counts how much of a program the baseline code generator covers: functions, and instructions of
// IR, with the reasons for the rest. Bodies are read by the reader of bitcode (bitcode/), one after
// the other, as they stand in the file: nothing is split or inlined before. Debug information
// counts as dropped (docs/adr/0060-debug-information-if-somebody-asks.md).
//
// Thread-safe: a pure function of its argument.

#ifndef FIRSTCALL_TESTS_BACKEND_BASELINE_COVERAGE_COUNT_H_
#define FIRSTCALL_TESTS_BACKEND_BASELINE_COVERAGE_COUNT_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall::baseline {

struct CoverageCount {
  struct Part {
    int64_t functions = 0;
    int64_t instructions = 0;
  };
  Part all;
  // What is not covered, by the reason, and by the first instruction that is refused for it. The
  // instructions of a body that cannot be read are unknown, and count as none.
  std::map<std::string, Part> refused;
};

// Of a module in bitcode, for the module's own target.
absl::StatusOr<CoverageCount> CountCoverage(absl::string_view bitcode);

// Adds a count to the sum of others.
void Add(const CoverageCount& other, CoverageCount& sum);

// The count as lines of text: the covered shares in percent, and a line for each reason, the most
// instructions first.
std::string TextOf(const CoverageCount& count);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_TESTS_BACKEND_BASELINE_COVERAGE_COUNT_H_

// How often the branches of a function went where, as a counting body has counted it.
//
// Plain values; copyable. Tested in tests/api/branch_counts_test.cc.

#ifndef FIRSTCALL_CODE_BRANCH_COUNTS_H_
#define FIRSTCALL_CODE_BRANCH_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace firstcall {

// The counters of a counting body: an array of 64-bit words, which its object defines under the
// function's name with kCountsSuffix.
struct BranchCounters {
  // A hash of the function's control flow. Counts mean something only for a body of this shape.
  uint64_t shape = 0;
  size_t count = 0;
};

// What has been counted so far.
struct BranchCounts {
  SymbolOrdinal function;
  uint64_t shape = 0;  // See BranchCounters.
  std::vector<uint64_t> counts;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_BRANCH_COUNTS_H_

// How often the branches of a function went where, and what its indirect calls have called, as a
// counting body has counted it.
//
// Plain values; copyable. Tested in tests/api/branch_counts_test.cc.

#ifndef FIRSTCALL_SEAM_BRANCH_COUNTS_H_
#define FIRSTCALL_SEAM_BRANCH_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace firstcall {

// What a counting body keeps of each indirect call, in 64-bit words: the number of calls, and some
// candidates for the functions that are called most, each as an address and a number.
//
// A call of a candidate adds one to its number. A call of something else takes the place of a
// candidate whose number is zero; if there is none, it takes one from all numbers (Misra and Gries,
// 1982). So a function that gets more than a quarter of the calls is a candidate in the end, and
// its number is too small by a quarter of all calls at most.
inline constexpr size_t kCandidatesOfCall = 3;
inline constexpr size_t kWordsOfCall = 1 + 2 * kCandidatesOfCall;

// The counters of a counting body: an array of 64-bit words, which its object defines under the
// function's name with kCountsSuffix. First those of branches, then those of indirect calls.
struct BranchCounters {
  // A hash of the function's control flow. Counts mean something only for a body of this shape.
  uint64_t shape = 0;
  size_t count = 0;  // Of branches.
  size_t calls = 0;  // Indirect calls, which have kWordsOfCall each.
};

// A function of the same source module that an indirect call has called.
struct CallTarget {
  SymbolOrdinal function;
  // The call probably got the address from a constant table, which leads to the function's final
  // body once there is one (kTableSuffix). Otherwise the address was that of the function's stub.
  bool is_in_table = false;
  uint64_t count = 0;  // Estimated.
};

// What an indirect call has called.
struct CallCounts {
  uint64_t count = 0;               // All calls.
  std::vector<CallTarget> targets;  // The known ones, each once.
};

// What has been counted so far.
struct BranchCounts {
  SymbolOrdinal function;
  uint64_t shape = 0;  // See BranchCounters.
  std::vector<uint64_t> counts;
  std::vector<CallCounts> calls = {};
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_BRANCH_COUNTS_H_

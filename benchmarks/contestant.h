// Who is compared: firstcall's modes, lli's, and the program compiled ahead of time.

#ifndef FIRSTCALL_BENCHMARKS_CONTESTANT_H_
#define FIRSTCALL_BENCHMARKS_CONTESTANT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firstcall::benchmarks {

// One way to run a program. Immutable after construction.
struct Contestant {
  std::string name;
  // What stands before the bitcode file on the command line; empty for the program that was
  // compiled ahead of time.
  std::vector<std::string> command;
  // Takes part in this many times as many rounds where a run is brief: what several bars depend on
  // must be known better than the rest.
  int weight = 1;
  // Gets the workload's bitcode after opt -O2.
  bool takes_optimized = false;
};

// firstcall with default settings: what the others are compared with.
inline constexpr absl::string_view kFirstcall = "firstcall";
inline constexpr absl::string_view kFirstcallEager = "firstcall --mode=eager";
inline constexpr absl::string_view kFirstcallTierZero = "firstcall --tier=0";
inline constexpr absl::string_view kMcjit = "lli mcjit";
inline constexpr absl::string_view kMcjitO0 = "lli mcjit -O0";
inline constexpr absl::string_view kOrcLazy = "lli orc-lazy";
inline constexpr absl::string_view kOrcLazyOneThread = "lli orc-lazy --compile-threads=1";
inline constexpr absl::string_view kOrcLazyTwoThreads = "lli orc-lazy --compile-threads=2";

// All of them, in the order of the report, for the two programs at these paths.
std::vector<Contestant> AllContestants(const std::string& firstcall, const std::string& lli);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_CONTESTANT_H_

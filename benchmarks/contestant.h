// The contestants: firstcall's modes, lli's modes, and the program compiled ahead of time.

#ifndef FIRSTCALL_BENCHMARKS_CONTESTANT_H_
#define FIRSTCALL_BENCHMARKS_CONTESTANT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firstcall::benchmarks {

// One way to run a program. Immutable after construction.
struct Contestant {
  std::string name;
  // The start of the command line, before the bitcode file. Empty for the program that was compiled
  // ahead of time.
  std::vector<std::string> command;
  // On brief runs the contestant takes part in this many times as many rounds: several bars depend
  // on its result, which must be more precise.
  int weight = 1;
  // The contestant gets the workload's bitcode after opt -O2.
  bool takes_optimized = false;
};

// firstcall with default settings; the other contestants are compared with it.
inline constexpr absl::string_view kFirstcall = "firstcall";
inline constexpr absl::string_view kFirstcallEager = "firstcall --mode=eager";
inline constexpr absl::string_view kFirstcallTierZero = "firstcall --tier=0";
inline constexpr absl::string_view kMcjit = "lli mcjit";
inline constexpr absl::string_view kMcjitO0 = "lli mcjit -O0";
inline constexpr absl::string_view kOrcLazy = "lli orc-lazy";
inline constexpr absl::string_view kOrcLazyOneThread = "lli orc-lazy --compile-threads=1";
inline constexpr absl::string_view kOrcLazyTwoThreads = "lli orc-lazy --compile-threads=2";

// All contestants, in the order of the report. The arguments are the paths of the programs.
// `before` is another firstcall, which takes part in all of firstcall's modes as "before"; empty:
// none.
std::vector<Contestant> AllContestants(const std::string& firstcall, const std::string& lli,
                                       const std::string& before);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_CONTESTANT_H_

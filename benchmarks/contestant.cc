#include "benchmarks/contestant.h"

#include <utility>

namespace firstcall::benchmarks {

std::vector<Contestant> AllContestants(const std::string& firstcall, const std::string& lli,
                                       const std::string& before) {
  const std::vector<Contestant> ours = {
      {std::string(kFirstcall), {firstcall}, /*weight=*/3},
      {std::string(kFirstcallEager), {firstcall, "--mode=eager"}, /*weight=*/3},
      {std::string(kFirstcallTierZero), {firstcall, "--tier=0"}, /*weight=*/3},
      {"firstcall --baseline=off", {firstcall, "--baseline=off"}},
      {"firstcall -O2", {firstcall, "-O2"}},
  };
  const std::vector<Contestant> others = {
      {std::string(kOrcLazy), {lli, "--jit-kind=orc-lazy"}},
      {std::string(kOrcLazyOneThread), {lli, "--jit-kind=orc-lazy", "--compile-threads=1"}},
      {std::string(kOrcLazyTwoThreads), {lli, "--jit-kind=orc-lazy", "--compile-threads=2"}},
      {"lli orc-lazy -O0", {lli, "--jit-kind=orc-lazy", "-O0"}},
      {"lli orc", {lli, "--jit-kind=orc"}},
      {"lli orc -O0", {lli, "--jit-kind=orc", "-O0"}},
      {std::string(kMcjit), {lli, "--jit-kind=mcjit"}},
      {std::string(kMcjitO0), {lli, "--jit-kind=mcjit", "-O0"}},
      {"native", {}},
  };
  std::vector<Contestant> all = ours;
  if (!before.empty()) {
    for (Contestant contestant : ours) {
      contestant.name.replace(0, kFirstcall.size(), "before");
      contestant.command[0] = before;
      all.push_back(std::move(contestant));
    }
  }
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace firstcall::benchmarks

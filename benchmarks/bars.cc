// Every bar is a quotient of two medians from the same run, because absolute times of a shared
// machine mean nothing a day later.

#include "benchmarks/bars.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "benchmarks/contestant.h"
#include "benchmarks/workload.h"
#include "tools/measure/statistics.h"

namespace firstcall::benchmarks {
namespace {

bool IsOurs(absl::string_view contestant) { return absl::StartsWith(contestant, kFirstcall); }

// Why no bar can be computed from `result`; empty if one can. A rival may fail in some runs: then
// the times of its correct runs count.
std::string Obstacle(const Result* result, absl::string_view workload,
                     absl::string_view contestant) {
  const std::string who = absl::StrCat(contestant, " on ", workload);
  if (result == nullptr) return absl::StrCat(who, " was not run");
  if (!result->Measured()) return absl::StrCat(who, " ", result->skipped);
  const std::string fault = result->Fault();
  const bool usable = fault.empty() || (!IsOurs(contestant) && result->EverRight());
  return usable ? "" : absl::StrCat(who, ": ", fault);
}

// Looks up the results of a run, and records the first one that is missing or faulty.
class Lookup {
 public:
  explicit Lookup(const std::vector<Result>& results) : results_(results) {}

  // The median of that figure. If there is none, returns 0 and records an obstacle.
  double Get(absl::string_view workload, absl::string_view contestant,
             double Sample::*figure = &Sample::wall_ms) {
    const Result* result = Find(results_, workload, contestant);
    const std::string obstacle = Obstacle(result, workload, contestant);
    if (obstacle.empty()) return measure::Median(result->Figures(figure));
    if (obstacle_.empty()) {
      obstacle_ = obstacle;
      ours_ = result != nullptr && IsOurs(contestant);
    }
    return 0;
  }

  const std::string& obstacle() const { return obstacle_; }

  // Fills in the verdict and the numbers of `bar`: by `met`, unless a result was missing.
  void Decide(bool met, std::string numbers, Bar* bar) const {
    if (obstacle_.empty()) {
      bar->verdict = met ? Bar::Verdict::kMet : Bar::Verdict::kMissed;
      bar->numbers = std::move(numbers);
    } else {
      bar->verdict = ours_ ? Bar::Verdict::kMissed : Bar::Verdict::kUnknown;
      bar->numbers = obstacle_;
    }
  }

 private:
  const std::vector<Result>& results_;
  std::string obstacle_;
  bool ours_ = false;  // the obstacle is firstcall's own fault
};

std::string Milliseconds(double ours, double theirs) {
  return absl::StrFormat("%.1f ms : %.1f ms", ours, theirs);
}

// firstcall is at least `least` times as fast as `rival`.
Bar Faster(const std::vector<Result>& results, absl::string_view workload, absl::string_view rival,
           double least) {
  Lookup lookup(results);
  const double ours = lookup.Get(workload, kFirstcall);
  const double theirs = lookup.Get(workload, rival);
  Bar bar;
  bar.claim = absl::StrFormat("%s: times as fast as %s, at least %.1f", workload, rival, least);
  if (ours > 0) bar.measured = theirs / ours;
  lookup.Decide(bar.measured >= least, Milliseconds(ours, theirs), &bar);
  return bar;
}

// The same against the quickest of lli's lazy modes, whatever its number of threads.
Bar FasterThanBestLazy(const std::vector<Result>& results, absl::string_view workload,
                       double least) {
  absl::string_view best = kOrcLazy;
  double best_ms = 0;
  std::string faults;
  for (absl::string_view rival : {kOrcLazy, kOrcLazyOneThread, kOrcLazyTwoThreads}) {
    Lookup lookup(results);
    const double ms = lookup.Get(workload, rival);
    if (ms > 0 && (best_ms == 0 || ms < best_ms)) {
      best = rival;
      best_ms = ms;
    }
    if (ms == 0) absl::StrAppend(&faults, "; ", lookup.obstacle());
  }
  Bar bar = Faster(results, workload, best, least);
  if (best_ms > 0) absl::StrAppend(&bar.numbers, faults);
  return bar;
}

// Compiling 10,000 functions costs about as much for each as compiling 100.
Bar Linear(const std::vector<Result>& results, double most) {
  Lookup lookup(results);
  const double one = lookup.Get("chain_1", kFirstcall);
  const double small = measure::CostPerPart(lookup.Get("chain_100", kFirstcall), 100, one);
  const double large = measure::CostPerPart(lookup.Get("chain_10000", kFirstcall), 10000, one);
  Bar bar;
  bar.claim =
      absl::StrFormat("chain_10000: time a function, times chain_100's, at most %.2f", most);
  if (small > 0) bar.measured = large / small;
  lookup.Decide(small > 0 && bar.measured <= most,
                absl::StrFormat("%.1f us : %.1f us", large * 1000, small * 1000), &bar);
  return bar;
}

// The largest ratio of firstcall's time to that of another of its modes, over all `workloads`, is
// at most `most`.
Bar WorstAgainst(const std::vector<Result>& results, std::string claim,
                 const std::vector<absl::string_view>& workloads, absl::string_view mode,
                 double most) {
  Lookup lookup(results);
  Bar bar;
  bar.claim = absl::StrFormat("%s, at most %.2f", claim, most);
  std::string worst;
  for (absl::string_view workload : workloads) {
    const double ours = lookup.Get(workload, kFirstcall);
    const double others = lookup.Get(workload, mode);
    if (others <= 0 || ours / others <= bar.measured) continue;
    bar.measured = ours / others;
    worst = absl::StrCat("worst: ", workload, ", ", Milliseconds(ours, others));
  }
  lookup.Decide(bar.measured <= most, worst, &bar);
  return bar;
}

// In a program with little to compile, laziness costs almost nothing.
Bar LazyOnSmallPrograms(const std::vector<Result>& results, double most) {
  return WorstAgainst(results, "small programs: lazy, times own eager mode", SmallPrograms(),
                      kFirstcallEager, most);
}

// Preparing functions for their replacement by optimized ones hardly slows down the start.
Bar Tiers(const std::vector<Result>& results, std::string of,
          const std::vector<absl::string_view>& workloads, double most) {
  return WorstAgainst(results, absl::StrCat(of, ": with tiers, times tier 0 alone"), workloads,
                      kFirstcallTierZero, most);
}

Bar Smaller(const std::vector<Result>& results, absl::string_view workload, absl::string_view rival,
            double most) {
  Lookup lookup(results);
  const double ours = lookup.Get(workload, kFirstcall, &Sample::peak_mib);
  const double theirs = lookup.Get(workload, rival, &Sample::peak_mib);
  Bar bar;
  bar.claim = absl::StrFormat("%s: peak memory, times %s's, at most %.2f", workload, rival, most);
  if (theirs > 0) bar.measured = ours / theirs;
  lookup.Decide(bar.measured <= most, absl::StrFormat("%.0f MiB : %.0f MiB", ours, theirs), &bar);
  return bar;
}

Bar Decided(std::string claim, double measured, bool met, std::string numbers) {
  return {std::move(claim), measured, met ? Bar::Verdict::kMet : Bar::Verdict::kMissed,
          std::move(numbers)};
}

}  // namespace

const char* Name(Bar::Verdict verdict) {
  switch (verdict) {
    case Bar::Verdict::kMet:
      return "met";
    case Bar::Verdict::kMissed:
      return "missed";
    case Bar::Verdict::kUnknown:
      return "unknown";
  }
  return "";
}

Bar AtMost(std::string claim, double measured, double limit, std::string numbers) {
  return Decided(std::move(claim), measured, measured <= limit, std::move(numbers));
}

Bar AtLeast(std::string claim, double measured, double limit, std::string numbers) {
  return Decided(std::move(claim), measured, measured >= limit, std::move(numbers));
}

std::vector<Bar> ComputeBars(const std::vector<Result>& results) {
  return {
      Faster(results, "sqO2", kMcjitO0, 8),
      Faster(results, "sq", kMcjitO0, 6),
      FasterThanBestLazy(results, "sqO2", 4),
      Faster(results, "luaO2", kMcjitO0, 4.5),
      Faster(results, "chain_2000", kMcjitO0, 4),
      Linear(results, 1.1),
      LazyOnSmallPrograms(results, 1.05),
      Tiers(results, "sqO2", {"sqO2"}, 1.03),
      Tiers(results, "luaO2", {"luaO2"}, 1.03),
      Tiers(results, "chain_2000", {"chain_2000"}, 1.03),
      Tiers(results, "small programs", SmallPrograms(), 1.03),
      Smaller(results, "sqO2", kMcjitO0, 0.4),
  };
}

}  // namespace firstcall::benchmarks

#include "benchmarks/bars.h"

#include <cmath>
#include <string>
#include <vector>

#include "benchmarks/contestant.h"
#include "benchmarks/workload.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall::benchmarks {
namespace {

using ::testing::HasSubstr;

Result MakeResult(absl::string_view workload, absl::string_view contestant, double wall_ms,
                  double peak_mib = 10) {
  Result result;
  result.workload = std::string(workload);
  result.contestant = std::string(contestant);
  result.samples = {{wall_ms, wall_ms, peak_mib, "", ""}};
  return result;
}

// Results that meet every bar, some of them exactly.
std::vector<Result> GoodResults() {
  std::vector<Result> results = {
      MakeResult("sqO2", kFirstcall, 100, 40),
      MakeResult("sqO2", kMcjitO0, 800, 100),
      MakeResult("sqO2", kOrcLazy, 5000),
      MakeResult("sqO2", kOrcLazyOneThread, 400),
      MakeResult("sqO2", kOrcLazyTwoThreads, 900),
      MakeResult("sq", kFirstcall, 10),
      MakeResult("sq", kMcjitO0, 60),
      MakeResult("luaO2", kFirstcall, 10),
      MakeResult("luaO2", kMcjitO0, 45),
      MakeResult("chain_2000", kFirstcall, 10),
      MakeResult("chain_2000", kMcjitO0, 40),
      MakeResult("chain_1", kFirstcall, 15),
      MakeResult("chain_100", kFirstcall, 15 + 99),
      MakeResult("chain_10000", kFirstcall, 15 + 9999),
  };
  for (absl::string_view program : SmallPrograms()) {
    results.push_back(MakeResult(program, kFirstcall, 21));
    results.push_back(MakeResult(program, kFirstcallEager, 20));
    results.push_back(MakeResult(program, kFirstcallTierZero, 21));
  }
  results.push_back(MakeResult("sqO2", kFirstcallTierZero,
                               Find(results, "sqO2", kFirstcall)->samples[0].wall_ms));
  results.push_back(MakeResult("luaO2", kFirstcallTierZero, 10));
  results.push_back(MakeResult("chain_2000", kFirstcallTierZero, 10));
  return results;
}

Result& Get(std::vector<Result>& results, absl::string_view workload,
            absl::string_view contestant) {
  return const_cast<Result&>(*Find(results, workload, contestant));
}

// The bar whose claim contains `claim`.
Bar FindBar(const std::vector<Result>& results, const std::string& claim) {
  for (const Bar& bar : ComputeBars(results)) {
    if (bar.claim.find(claim) != std::string::npos) return bar;
  }
  ADD_FAILURE() << "no bar " << claim;
  return {};
}

TEST(BarsTest, LimitIsMetOnItsOwnSideAndExactly) {
  EXPECT_EQ(AtMost("", 1, 2, "").verdict, Bar::Verdict::kMet);
  EXPECT_EQ(AtMost("", 2, 2, "").verdict, Bar::Verdict::kMet);
  EXPECT_EQ(AtMost("", 2.01, 2, "").verdict, Bar::Verdict::kMissed);
  EXPECT_EQ(AtLeast("", 3, 2, "").verdict, Bar::Verdict::kMet);
  EXPECT_EQ(AtLeast("", 2, 2, "").verdict, Bar::Verdict::kMet);
  EXPECT_EQ(AtLeast("", 1.99, 2, "").verdict, Bar::Verdict::kMissed);
}

TEST(BarsTest, NotANumberMeetsNoLimit) {
  EXPECT_EQ(AtMost("", std::nan(""), 2, "").verdict, Bar::Verdict::kMissed);
  EXPECT_EQ(AtLeast("", std::nan(""), 2, "").verdict, Bar::Verdict::kMissed);
}

TEST(BarsTest, BarSaysWhatItWasMadeOf) {
  const Bar bar = AtMost("claim", 1.5, 2, "3 : 2");
  EXPECT_EQ(bar.claim, "claim");
  EXPECT_EQ(bar.measured, 1.5);
  EXPECT_EQ(bar.numbers, "3 : 2");
}

TEST(BarsTest, AreMetAtTheBarItself) {
  for (const Bar& bar : ComputeBars(GoodResults())) {
    EXPECT_EQ(bar.verdict, Bar::Verdict::kMet) << bar.claim << ": " << bar.numbers;
  }
}

TEST(BarsTest, NothingMeasuredIsUnknown) {
  for (const Bar& bar : ComputeBars({})) {
    EXPECT_EQ(bar.verdict, Bar::Verdict::kUnknown) << bar.claim;
    EXPECT_THAT(bar.numbers, HasSubstr("was not run"));
  }
}

TEST(BarsTest, SlowerThanTheBarIsMissedWithTheNumbers) {
  std::vector<Result> results = GoodResults();
  Get(results, "sqO2", kFirstcall).samples[0].wall_ms = 200;
  const Bar bar = FindBar(results, "sqO2: times as fast as lli mcjit -O0");
  EXPECT_EQ(bar.verdict, Bar::Verdict::kMissed);
  EXPECT_DOUBLE_EQ(bar.measured, 4);
  EXPECT_EQ(bar.numbers, "200.0 ms : 800.0 ms");
}

TEST(BarsTest, LazyRivalIsTheQuickestThatWorks) {
  std::vector<Result> results = GoodResults();
  EXPECT_DOUBLE_EQ(FindBar(results, std::string(kOrcLazyOneThread)).measured, 4);
  Get(results, "sqO2", kOrcLazyOneThread).samples[0].fault = "crash";
  const Bar bar = FindBar(results, std::string(kOrcLazyTwoThreads));
  EXPECT_DOUBLE_EQ(bar.measured, 9);
  EXPECT_THAT(bar.numbers, HasSubstr("; lli orc-lazy --compile-threads=1 on sqO2: crash"));
}

TEST(BarsTest, OwnCrashIsMissedAndARivalsCrashIsUnknown) {
  std::vector<Result> results = GoodResults();
  Get(results, "luaO2", kMcjitO0).samples[0].fault = "crash";
  EXPECT_EQ(FindBar(results, "luaO2").verdict, Bar::Verdict::kUnknown);
  Get(results, "luaO2", kFirstcall).samples[0].fault = "crash";
  const Bar bar = FindBar(results, "luaO2");
  EXPECT_EQ(bar.verdict, Bar::Verdict::kMissed);
  EXPECT_EQ(bar.numbers, "firstcall on luaO2: crash");
}

TEST(BarsTest, RivalThatSometimesCrashesCountsByItsRightRuns) {
  std::vector<Result> results = GoodResults();
  Get(results, "luaO2", kMcjitO0).samples.push_back({1, 1, 1, "crash", ""});
  EXPECT_DOUBLE_EQ(FindBar(results, "luaO2").measured, 4.5);
  Get(results, "luaO2", kFirstcall).samples.push_back({1, 1, 1, "crash", ""});
  EXPECT_EQ(FindBar(results, "luaO2").numbers, "firstcall on luaO2: crash in 1 of 2 runs");
}

TEST(BarsTest, GrowingCostPerFunctionIsMissed) {
  std::vector<Result> results = GoodResults();
  Get(results, "chain_10000", kFirstcall).samples[0].wall_ms = 15 + 9999 * 1.2;
  const Bar bar = FindBar(results, "chain_10000");
  EXPECT_EQ(bar.verdict, Bar::Verdict::kMissed);
  EXPECT_NEAR(bar.measured, 1.2, 1e-9);
}

TEST(BarsTest, TiersThatCostAStartAreMissed) {
  std::vector<Result> results = GoodResults();
  EXPECT_EQ(FindBar(results, "luaO2: with tiers").verdict, Bar::Verdict::kMet);
  Get(results, "luaO2", kFirstcallTierZero).samples[0].wall_ms = 8;
  const Bar bar = FindBar(results, "luaO2: with tiers");
  EXPECT_EQ(bar.verdict, Bar::Verdict::kMissed);
  EXPECT_DOUBLE_EQ(bar.measured, 10.0 / 8);
}

TEST(BarsTest, WorstSmallProgramDecides) {
  std::vector<Result> results = GoodResults();
  Get(results, "small", kFirstcall).samples[0].wall_ms = 30;
  const Bar bar = FindBar(results, "small programs");
  EXPECT_EQ(bar.verdict, Bar::Verdict::kMissed);
  EXPECT_DOUBLE_EQ(bar.measured, 1.5);
  EXPECT_THAT(bar.numbers, HasSubstr("small"));
}

}  // namespace
}  // namespace firstcall::benchmarks

#include "runtime/promotion/counting_body.h"

#include <atomic>
#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "base/ids.h"
#include "base/steady_clock.h"
#include "gtest/gtest.h"
#include "memory/executor_address.h"
#include "runtime/promotion/branch_counter_block.h"
#include "seam/branch_counts.h"

namespace firstcall {
namespace {

constexpr absl::Duration kLeast = absl::Milliseconds(5);  // See CountingBody::IsCounting.
constexpr absl::Duration kMost = absl::Milliseconds(50);

std::optional<CallTarget> FindNone(ExecutorAddress) { return std::nullopt; }

class CountingBodyTest : public testing::Test {
 protected:
  void Begin() {
    BranchCounters counters;
    counters.count = 2;
    body_.Begin(BranchCounterBlock(counters, ExecutorAddress::Of(&words_[0])));
  }

  std::atomic<uint64_t> words_[2] = {};
  CountingBody body_;
};

TEST_F(CountingBodyTest, ComesOnceOrNotAtAll) {
  EXPECT_TRUE(body_.may_come());
  EXPECT_FALSE(body_.IsCounting(SteadyNow()));
  EXPECT_EQ(body_.Sum(), 0u);
  EXPECT_FALSE(body_.Counts(SymbolOrdinal{7}, FindNone).has_value());
  Begin();
  EXPECT_FALSE(body_.may_come());
  CountingBody other;
  other.DoWithout();
  EXPECT_FALSE(other.may_come());
}

TEST_F(CountingBodyTest, HasWhatItHasCountedSoFar) {
  Begin();
  words_[0] = 30;
  words_[1] = 12;
  EXPECT_EQ(body_.Sum(), 42u);
  const std::optional<BranchCounts> counts = body_.Counts(SymbolOrdinal{7}, FindNone);
  ASSERT_TRUE(counts.has_value());
  EXPECT_EQ(counts->function, SymbolOrdinal{7});
  ASSERT_EQ(counts->counts.size(), 2u);
  EXPECT_EQ(counts->counts[0], 30u);
  EXPECT_EQ(counts->counts[1], 12u);
}

TEST_F(CountingBodyTest, RunsLongerIfItHasCountedLittle) {
  const absl::Duration before = SteadyNow();
  Begin();
  const absl::Duration after = SteadyNow();
  EXPECT_TRUE(body_.IsCounting(before + kMost / 2));
  EXPECT_FALSE(body_.IsCounting(after + kMost));
  words_[0] = 5000;
  EXPECT_TRUE(body_.IsCounting(before));
  EXPECT_FALSE(body_.IsCounting(after + kLeast));
}

}  // namespace
}  // namespace firstcall

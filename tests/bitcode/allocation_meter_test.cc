#include "tests/bitcode/allocation_meter.h"

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "gtest/gtest.h"

namespace firstcall::testing {
namespace {

constexpr size_t kLimit = 1 << 20;

TEST(AllocationMeterTest, CountsWhatIsInUseAtOneTime) {
  AllocationMeter::Start(kLimit);
  for (int i = 0; i < 3; ++i) std::make_unique<std::vector<char>>(100000);
  const size_t peak = AllocationMeter::Peak();
  AllocationMeter::Stop();
  EXPECT_GE(peak, 100000u);
  EXPECT_LT(peak, 200000u);
}

TEST(AllocationMeterTest, WithoutALimitAnythingIsAllowed) {
  AllocationMeter::Start(kLimit);
  AllocationMeter::Stop();
  EXPECT_EQ(std::vector<char>(2 * kLimit).size(), 2 * kLimit);
}

TEST(AllocationMeterDeathTest, AllocationBeyondTheLimitEndsTheProcess) {
  EXPECT_DEATH(
      {
        AllocationMeter::Start(kLimit);
        operator delete(operator new(kLimit + 1));
      },
      "an allocation of 1048577 bytes .* is beyond the limit 1048576");
}

}  // namespace
}  // namespace firstcall::testing

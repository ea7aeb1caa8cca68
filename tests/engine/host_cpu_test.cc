#include "engine/host_cpu.h"

#include <sched.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace firstcall {
namespace {

constexpr char kDescribe[] = "--describe";
std::string self;

TEST(HostCpuTest, BeginsWithAName) {
  const std::string described = DescribeHostCpu();
  EXPECT_NE(described.find(' '), std::string::npos);
  EXPECT_EQ(described, DescribeHostCpu());
#if defined(__x86_64__)
  unsigned most = 0, model = 0, b = 0, c = 0, d = 0;
  ASSERT_NE(__get_cpuid(0, &most, &b, &c, &d), 0);
  std::string vendor(12, '\0');
  std::memcpy(&vendor[0], &b, 4);
  std::memcpy(&vendor[4], &d, 4);
  std::memcpy(&vendor[8], &c, 4);
  ASSERT_NE(__get_cpuid(1, &model, &b, &c, &d), 0);
  EXPECT_TRUE(absl::StartsWith(described, absl::StrCat(vendor, "-", absl::Hex(model), " ")));
  // Some features: whether there are others is in the rest of these numbers.
  EXPECT_TRUE(absl::StrContains(described, absl::StrCat(absl::Hex(c), ",")));
  EXPECT_TRUE(absl::StrContains(described, absl::StrCat(absl::Hex(d), ",")));
#endif
}

// Or a start on another processor would find nothing in a cache.
TEST(HostCpuTest, IsTheSameOnEachProcessor) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  for (int cpu = 0, left = 4; cpu < CPU_SETSIZE && left > 0; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    --left;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(testing::RunProcess({self, kDescribe}).output, DescribeHostCpu()) << cpu;
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], firstcall::kDescribe) == 0) {
    std::fputs(firstcall::DescribeHostCpu().c_str(), stdout);
    return 0;
  }
  ::testing::InitGoogleTest(&argc, argv);
  firstcall::self = argv[0];
  return RUN_ALL_TESTS();
}

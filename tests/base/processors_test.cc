#include "base/processors.h"

#include <sched.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

class ControlGroupsTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/groups_XXXXXX";
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
  }
  void MakeGroup(const std::string& group) {
    ASSERT_EQ(mkdir((root_ + group).c_str(), 0700), 0) << group;
  }
  void Write(const std::string& file, const std::string& contents) {
    std::ofstream(root_ + file) << contents;
  }

  std::string root_;
};

TEST_F(ControlGroupsTest, WithoutAQuotaThereIsNoLimit) {
  EXPECT_EQ(ProcessorsOfControlGroups("", root_), std::nullopt);
  EXPECT_EQ(ProcessorsOfControlGroups("0::/\n", root_), std::nullopt);
  EXPECT_EQ(ProcessorsOfControlGroups("nonsense\n1:cpu\n", root_), std::nullopt);
  Write("/cpu.max", "max 100000\n");
  EXPECT_EQ(ProcessorsOfControlGroups("0::/\n", root_), std::nullopt);
}

TEST_F(ControlGroupsTest, TheQuotaOfVersion2IsAFractionOfAPeriod) {
  Write("/cpu.max", "150000 100000\n");
  EXPECT_EQ(ProcessorsOfControlGroups("0::/\n", root_), 1.5);
}

TEST_F(ControlGroupsTest, TheSmallestQuotaOfTheGroupsAroundCounts) {
  MakeGroup("/outer");
  MakeGroup("/outer/inner");
  Write("/outer/cpu.max", "50000 100000\n");
  Write("/outer/inner/cpu.max", "400000 100000\n");
  EXPECT_EQ(ProcessorsOfControlGroups("0::/outer/inner\n", root_), 0.5);
}

TEST_F(ControlGroupsTest, AGroupThatIsNotMountedLeavesThoseThatAre) {
  Write("/cpu.max", "100000 100000\n");
  EXPECT_EQ(ProcessorsOfControlGroups("0::/outside/of/the/container\n", root_), 1);
}

TEST_F(ControlGroupsTest, TheQuotaOfVersion1StandsInTwoFiles) {
  MakeGroup("/cpu,cpuacct");
  MakeGroup("/cpu,cpuacct/box");
  Write("/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  Write("/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  Write("/cpu,cpuacct/box/cpu.cfs_quota_us", "200000\n");
  Write("/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(ProcessorsOfControlGroups("5:memory:/box\n4:cpu,cpuacct:/box\n", root_), 2);
  EXPECT_EQ(ProcessorsOfControlGroups("5:memory:/box\n", root_), std::nullopt);
}

TEST(ProcessorsTest, AThreadThatMayRunOnOneProcessorHasOne) {
  double processors = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    processors = UsableProcessors();
  }).join();
  EXPECT_GT(processors, 0);
  EXPECT_LE(processors, 1);
}

}  // namespace
}  // namespace firstcall

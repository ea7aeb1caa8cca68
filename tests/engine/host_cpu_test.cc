#include "engine/host_cpu.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

namespace firstcall {
namespace {

TEST(HostCpuTest, HasTheNameAndEveryFeature) {
  const std::string described = DescribeHostCpu();
  EXPECT_TRUE(absl::StartsWith(described, absl::StrCat(llvm::sys::getHostCPUName().str(), " ")));
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    const std::string text = absl::StrCat(feature.second ? "+" : "-", feature.first().str());
    EXPECT_TRUE(absl::StrContains(absl::StrCat(described, ","), absl::StrCat(text, ","))) << text;
  }
  EXPECT_EQ(described, DescribeHostCpu());
}

}  // namespace
}  // namespace firstcall

#include "direct/host_target.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/llvm/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Host.h"
#include "tests/testing/host.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using ::testing::HasSubstr;

// Those that LLVM finds, of the features that the baseline code generator asks for.
std::vector<std::string> FeaturesThatLlvmFinds() {
  std::vector<std::string> found;
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  for (const char* name : {"sse4.1", "popcnt", "fma", "fma4", "f16c", "cx16", "avx", "avx512bf16",
                           "avxneconvert", "lse"}) {
    if (features.lookup(name)) found.push_back(name);
  }
  return found;
}

// On AArch64 LLVM reads /proc/cpuinfo, which in an emulator is that of another machine.
TEST(HostTargetTest, HasTheFeaturesThatLlvmFinds) {
  if (IsEmulated()) GTEST_SKIP() << "LLVM does not find out what the emulator has";
  EXPECT_EQ(HostFeatures(), FeaturesThatLlvmFinds());
}

TEST(HostTargetTest, TakesModulesOfTheLayoutThatLlvmHas) {
  ASSERT_OK_AND_ASSIGN(const Target target, Target::Create({}));
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  ASSERT_THAT(target.Adopt(module), IsOk());
  const auto [triple, data_layout] = HostTarget();
  EXPECT_EQ(data_layout, module.getDataLayoutStr());
  EXPECT_THAT(CheckTarget(triple, data_layout), IsOk());
  EXPECT_THAT(CheckTarget(triple, absl::StrCat(data_layout, "-P1")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("its data layout")));
  EXPECT_THAT(CheckTarget("riscv64-unknown-linux-gnu", module.getDataLayoutStr()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("its triple")));
}

}  // namespace
}  // namespace firstcall::direct

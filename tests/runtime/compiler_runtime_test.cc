#include "runtime/link/compiler_runtime.h"

#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(CompilerRuntimeTest, WhatIsNotOfItIsNull) {
  for (const char* name : {"", "_", "printf", "__aarch64_", "__aarch64_ldadd4", "__cpu"}) {
    EXPECT_TRUE(FindInCompilerRuntime(name).is_null()) << name;
  }
}

#if defined(__aarch64__)

TEST(CompilerRuntimeTest, AtomicOperationsDoWhatTheirNamesSay) {
  const auto find = [](const char* name) {
    const ExecutorAddress address = FindInCompilerRuntime(name);
    EXPECT_FALSE(address.is_null()) << name;
    return address.InThisProcess<uint32_t (*)(uint32_t, uint32_t*)>();
  };
  uint32_t memory = 12;
  EXPECT_EQ(find("__aarch64_ldadd4_acq_rel")(3, &memory), 12u);
  EXPECT_EQ(memory, 15u);
  EXPECT_EQ(find("__aarch64_swp4_relax")(9, &memory), 15u);
  EXPECT_EQ(memory, 9u);
  EXPECT_EQ(find("__aarch64_ldclr4_acq")(1, &memory), 9u);
  EXPECT_EQ(memory, 8u);
  EXPECT_EQ(find("__aarch64_ldset4_rel")(3, &memory), 8u);
  EXPECT_EQ(memory, 11u);
  EXPECT_EQ(find("__aarch64_ldeor4_relax")(1, &memory), 11u);
  EXPECT_EQ(memory, 10u);
  const auto compare_and_swap = FindInCompilerRuntime("__aarch64_cas4_acq_rel")
                                    .InThisProcess<uint32_t (*)(uint32_t, uint32_t, uint32_t*)>();
  EXPECT_EQ(compare_and_swap(10, 20, &memory), 10u);
  EXPECT_EQ(memory, 20u);
}

TEST(CompilerRuntimeTest, EveryWidthAndOrderIsThere) {
  for (const char* name : {"__aarch64_cas16_acq", "__aarch64_ldadd1_relax",
                           "__aarch64_swp2_acq_rel", "__aarch64_ldset8_rel", "__clear_cache"}) {
    EXPECT_FALSE(FindInCompilerRuntime(name).is_null()) << name;
  }
}

#elif defined(__x86_64__)

TEST(CompilerRuntimeTest, WhatThisCpuHasIsKnown) {
  EXPECT_FALSE(FindInCompilerRuntime("__cpu_model").is_null());
  EXPECT_FALSE(FindInCompilerRuntime("__cpu_features2").is_null());
  EXPECT_EQ(FindInCompilerRuntime("__cpu_indicator_init").InThisProcess<int (*)()>()(), 0);
}

#endif

}  // namespace
}  // namespace firstcall

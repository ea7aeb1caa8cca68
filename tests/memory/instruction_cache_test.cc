#include "memory/instruction_cache.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "gtest/gtest.h"
#include "memory/arena.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

// A function that returns `value`.
#if defined(__aarch64__)
constexpr size_t kSize = 8;
void WriteFunction(uint8_t* code, uint16_t value) {
  const uint32_t instructions[] = {0x52800000u | uint32_t{value} << 5, 0xd65f03c0};  // mov; ret
  std::memcpy(code, instructions, kSize);
}
#else
constexpr size_t kSize = 6;
void WriteFunction(uint8_t* code, uint16_t value) {
  const uint8_t bytes[] = {
      0xb8, static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8), 0, 0, 0xc3};  // mov; ret
  std::memcpy(code, bytes, kSize);
}
#endif

TEST(InstructionCacheTest, WhatWasFlushedRuns) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Arena> arena,
                       Arena::Create(ArenaSizes(1 << 20, 4096, 4096)));
  for (uint16_t i = 0; i < 1000; ++i) {
    ASSERT_OK_AND_ASSIGN(MemoryBlock code, arena->Allocate(Segment::kCode, kSize, 4));
    WriteFunction(code.write, i);
    FlushInstructions(code.write, code.run, kSize);
    SynchronizeInstructionFetch();
    ASSERT_EQ(code.run.InThisProcess<int (*)()>()(), i);
  }
}

class FetchBarrierTest : public ::testing::TestWithParam<FetchBarrier> {};

INSTANTIATE_TEST_SUITE_P(Barriers, FetchBarrierTest,
                         ::testing::Values(FetchBarrier::kMembarrier,
                                           FetchBarrier::kVisitProcessors),
                         [](const auto& info) {
                           return info.param == FetchBarrier::kMembarrier ? "Membarrier"
                                                                          : "VisitProcessors";
                         });

cpu_set_t Affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  return set;
}

TEST_P(FetchBarrierTest, ThreadMayRunWhereItMightBefore) {
  const cpu_set_t before = Affinity();
  RunFetchBarrier(GetParam());
  const cpu_set_t after = Affinity();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST_P(FetchBarrierTest, WorksInAForkedChild) {
  RunFetchBarrier(GetParam());
  const pid_t child = fork();
  if (child == 0) {
    RunFetchBarrier(GetParam());
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

}  // namespace
}  // namespace firstcall

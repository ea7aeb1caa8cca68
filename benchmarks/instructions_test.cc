#include "benchmarks/instructions.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace firstcall::benchmarks {
namespace {

TEST(InstructionsTest, CountsOfAllProcessesAreAdded) {
  const absl::StatusOr<uint64_t> count = ReadInstructionCounts(
      "==7== Callgrind, a call-graph generating cache profiler\n"
      "==7== Events    : Ir\n"
      "==7== Collected : 1200\n"
      "==7== \n"
      "==8== Collected : 34\n");
  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_EQ(*count, 1234u);
}

TEST(InstructionsTest, ALogWithoutACountIsAnError) {
  const absl::Status status = ReadInstructionCounts("==7== killed\n").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message(), "count instructions: ==7== killed\n");
}

}  // namespace
}  // namespace firstcall::benchmarks

#include "runtime/promotion/program_clock.h"

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(ProgramClockTest, TheTimeOfOptimizationIsNotTheProgram) {
  ProgramClock clock;
  EXPECT_EQ(clock.TakeTime(absl::Milliseconds(100)), absl::Milliseconds(100));
  clock.NoteOptimization(absl::Milliseconds(30));
  clock.NoteOptimization(absl::Milliseconds(10));
  EXPECT_EQ(clock.TakeTime(absl::Milliseconds(150)), absl::Milliseconds(10));
  EXPECT_EQ(clock.TakeTime(absl::Milliseconds(155)), absl::Milliseconds(5));
}

TEST(ProgramClockTest, TheTimeIsNeverNegative) {
  ProgramClock clock;
  clock.NoteOptimization(absl::Milliseconds(30));
  EXPECT_EQ(clock.TakeTime(absl::Milliseconds(20)), absl::ZeroDuration());
}

TEST(ProgramClockTest, BeginsAnewInAForkedChild) {
  ProgramClock clock;
  (void)clock.TakeTime(absl::Seconds(5));
  clock.NoteOptimization(absl::Seconds(1));
  EXPECT_EQ(clock.TakeTime(absl::Milliseconds(3)), absl::Milliseconds(3));
  EXPECT_EQ(clock.TakeTime(absl::Milliseconds(7)), absl::Milliseconds(4));
}

TEST(ProgramClockTest, ProcessorTimePassesWhileAThreadWorks) {
  const absl::Duration process = ProcessTime();
  const absl::Duration thread = ThreadTime();
  volatile int work = 0;
  while (ThreadTime() - thread < absl::Milliseconds(2)) work = work + 1;
  EXPECT_GE(ProcessTime() - process, absl::Milliseconds(2));
}

}  // namespace
}  // namespace firstcall

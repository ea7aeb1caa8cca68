// What the program finds on the other side of a first call, and of a call that finds its counter
// run out, on any architecture. What is particular to one, its registers above all, is tested in
// reentry_<architecture>_test.cc.

#include "stubs/reentry.h"

#include <cerrno>
#include <cfenv>

#include "gtest/gtest.h"
#include "tests/stubs/first_call.h"
#include "tests/testing/backtrace.h"

namespace firstcall {
namespace {

using ::firstcall::testing::AddressOf;
using ::firstcall::testing::Backtrace;
using ::firstcall::testing::CallersFrames;
using ::firstcall::testing::EndsWith;
using ::firstcall::testing::FirstCall;
using ::firstcall::testing::RunOut;
using ::firstcall::testing::TakeBacktrace;

// --- Arguments on the stack, as a compiler passes them ---

struct Large {
  double values[9];
};

double TakeMany(int a, double b, Large large, long double extended, const char* text, __int128 wide,
                int g, int h, int i, int j) {
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 2.5);
  EXPECT_EQ(large.values[8], 8.0);
  EXPECT_EQ(extended, 1.0L / 3);
  EXPECT_STREQ(text, "text");
  EXPECT_TRUE(wide == (static_cast<__int128>(7) << 100));
  EXPECT_EQ(g + h + i + j, 10);
  return 0.125;
}

void ExpectArgumentsAndResultPass(decltype(&TakeMany) function) {
  Large large;
  for (int i = 0; i < 9; ++i) large.values[i] = i;
  EXPECT_EQ(function(1, 2.5, large, 1.0L / 3, "text", static_cast<__int128>(7) << 100, 1, 2, 3, 4),
            0.125);
}

TEST(ReentryTest, ArgumentsOnTheStackAndResultsPass) {
  const FirstCall stub([](const std::atomic<void*>&) { return AddressOf(&TakeMany); });
  ExpectArgumentsAndResultPass(stub.function<decltype(TakeMany)>());
}

TEST(ReentryTest, ArgumentsOnTheStackAndResultsPassWhenACounterRunsOut) {
  const RunOut counted(AddressOf(&TakeMany), [](const CallCounter&) {});
  ExpectArgumentsAndResultPass(counted.function<decltype(TakeMany)>());
}

// --- The state that belongs to the program ---

int rounding_in_handler;
int RoundingInTarget() { return fegetround(); }

TEST(ReentryTest, HandlerRunsInTheDefaultFloatingPointEnvironment) {
  const FirstCall stub([](const std::atomic<void*>&) {
    rounding_in_handler = fegetround();
    fesetround(FE_UPWARD);  // Does not reach the program either.
    return AddressOf(&RoundingInTarget);
  });
  fesetround(FE_DOWNWARD);
  const int rounding_in_target = stub.function<int()>()();
  const int rounding_afterwards = fegetround();
  fesetround(FE_TONEAREST);
  EXPECT_EQ(rounding_in_handler, FE_TONEAREST);
  EXPECT_EQ(rounding_in_target, FE_DOWNWARD);
  EXPECT_EQ(rounding_afterwards, FE_DOWNWARD);
}

TEST(ReentryTest, RunOutHandlerRunsInTheDefaultFloatingPointEnvironment) {
  const RunOut counted(AddressOf(&RoundingInTarget), [](const CallCounter&) {
    rounding_in_handler = fegetround();
    fesetround(FE_UPWARD);
  });
  fesetround(FE_DOWNWARD);
  const int rounding_in_target = counted.function<int()>()();
  const int rounding_afterwards = fegetround();
  fesetround(FE_TONEAREST);
  EXPECT_EQ(rounding_in_handler, FE_TONEAREST);
  EXPECT_EQ(rounding_in_target, FE_DOWNWARD);
  EXPECT_EQ(rounding_afterwards, FE_DOWNWARD);
}

int ErrnoInTarget() { return errno; }

TEST(ReentryTest, ErrnoIsKept) {
  const FirstCall stub([](const std::atomic<void*>&) {
    errno = ENOENT;
    return AddressOf(&ErrnoInTarget);
  });
  errno = ERANGE;
  EXPECT_EQ(stub.function<int()>()(), ERANGE);
}

TEST(ReentryTest, ErrnoIsKeptWhenACounterRunsOut) {
  const RunOut counted(AddressOf(&ErrnoInTarget), [](const CallCounter&) { errno = ENOENT; });
  errno = ERANGE;
  EXPECT_EQ(counted.function<int()>()(), ERANGE);
}

// --- Unwinding ---

Backtrace seen_in_handler;
Backtrace seen_in_target;
void SeeInTarget() { seen_in_target = TakeBacktrace(); }

TEST(ReentryTest, BacktracesPassThroughStubs) {
  const FirstCall stub([](const std::atomic<void*>&) {
    seen_in_handler = TakeBacktrace();
    return AddressOf(&SeeInTarget);
  });
  stub.function<void()>()();
  const Backtrace callers = CallersFrames();
  ASSERT_GE(callers.size(), 3u) << "even main has callers";
  EXPECT_TRUE(EndsWith(seen_in_handler, callers));
  EXPECT_TRUE(EndsWith(seen_in_target, callers));
}

TEST(ReentryTest, BacktracesPassThroughCountersThatRunOut) {
  const RunOut counted(AddressOf(&SeeInTarget),
                       [](const CallCounter&) { seen_in_handler = TakeBacktrace(); });
  seen_in_handler.clear();
  seen_in_target.clear();
  counted.function<void()>()();
  const Backtrace callers = CallersFrames();
  ASSERT_GE(callers.size(), 3u) << "even main has callers";
  EXPECT_TRUE(EndsWith(seen_in_handler, callers));
  EXPECT_TRUE(EndsWith(seen_in_target, callers));
}

}  // namespace
}  // namespace firstcall

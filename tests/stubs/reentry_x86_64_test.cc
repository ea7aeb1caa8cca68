// What is particular to x86-64 on the way of a first call: registers without XSAVE, the state of
// SSE, and a stack that can be unwound at each instruction, as it can on the way through a counter.

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#if defined(__x86_64__)

#include <x86intrin.h>

#include <atomic>

#include "tests/stubs/first_call.h"
#include "tests/stubs/registers.h"
#include "tests/testing/stepping.h"

// Of stub_x86_64.cc, read by the assembly.
extern "C" {
extern __attribute__((visibility("hidden"))) uint64_t firstcall_reentry_save_size;
extern __attribute__((visibility("hidden"))) uint32_t firstcall_reentry_save_mask;
}

namespace firstcall {
namespace {

using ::firstcall::testing::AddressOf;
using ::firstcall::testing::ClobberAndFind;
using ::firstcall::testing::ExpectAllRegistersAreFound;
using ::firstcall::testing::FirstCall;
using ::firstcall::testing::RunOut;
using ::firstcall::testing::SetUpRegisters;
using ::firstcall::testing::Steps;
using ::firstcall::testing::StepThrough;

// A CPU without XSAVE has the registers of SSE only, and FXSAVE for them.
TEST(ReentryX8664Test, RegistersOfSseAreKeptWithoutXsave) {
  SetUpRegisters(VectorLevel::kSse);
  const FirstCall stub(&ClobberAndFind);  // Measures first.
  const uint64_t size = firstcall_reentry_save_size;
  const uint32_t mask = firstcall_reentry_save_mask;
  firstcall_reentry_save_size = 512;
  firstcall_reentry_save_mask = 0;
  firstcall_test_callee = stub.address();
  firstcall_test_call_with_registers();
  firstcall_reentry_save_size = size;
  firstcall_reentry_save_mask = mask;
  ExpectAllRegistersAreFound(VectorLevel::kSse);
}

unsigned mxcsr_in_handler;
unsigned MxcsrInTarget() { return _mm_getcsr(); }

TEST(ReentryX8664Test, ControlAndStatusOfSseAreTheProgramsAfterwards) {
  constexpr unsigned kDefault = 0x1f80, kFlushToZero = 0x8000, kInexactSeen = 0x20;
  const FirstCall stub([](const std::atomic<void*>&) {
    mxcsr_in_handler = _mm_getcsr();
    _mm_setcsr(_mm_getcsr() | 0x1);  // An invalid operation of the compiler's.
    return AddressOf(&MxcsrInTarget);
  });
  _mm_setcsr(kDefault | kFlushToZero | kInexactSeen);
  const unsigned in_target = stub.function<unsigned()>()();
  _mm_setcsr(kDefault);
  EXPECT_EQ(mxcsr_in_handler, kDefault);
  EXPECT_EQ(in_target, kDefault | kFlushToZero | kInexactSeen);
}

TEST(ReentryX8664Test, CallersAreFoundAtEveryInstructionOfAFirstCall) {
  const FirstCall stub([](const std::atomic<void*>&) { return AddressOf(+[] {}); });
  const Steps steps = StepThrough(stub.function<void()>());
  // Two instructions of the stub, three of the lead and two of the tail, then the reentry.
  EXPECT_EQ(steps.in_block, 7u);
  EXPECT_GT(steps.all, 40u);
}

TEST(ReentryX8664Test, CallersAreFoundAtEveryInstructionOfACounter) {
  const RunOut counted(AddressOf(+[] {}), nullptr);
  counted.counter().left() = 1;
  const Steps steps = StepThrough(counted.function<void()>());
  EXPECT_EQ(steps.in_block, 4u);
}

TEST(ReentryX8664Test, CallersAreFoundAtEveryInstructionOfACounterThatRunsOut) {
  const RunOut counted(AddressOf(+[] {}), [](const CallCounter&) {});
  const Steps steps = StepThrough(counted.function<void()>());
  // Three instructions of the counter, two of its lead and two of the tail, then the reentry.
  EXPECT_EQ(steps.in_block, 7u);
  EXPECT_GT(steps.all, 40u);
}

}  // namespace
}  // namespace firstcall

#else

TEST(ReentryX8664Test, NeedsItsArchitecture) { GTEST_SKIP() << "for x86-64"; }

#endif

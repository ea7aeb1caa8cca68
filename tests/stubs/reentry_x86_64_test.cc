// Every register of x86-64 as the caller of a first call left it, and a stack that can be unwound
// at each instruction of the way.

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#if defined(__x86_64__)

#include <ucontext.h>
#include <x86intrin.h>

#include <csignal>
#include <cstring>
#include <vector>

#include "tests/stubs/first_call.h"
#include "tests/stubs/registers_x86_64.h"

// Of stub_x86_64.cc, read by the assembly.
extern "C" {
extern __attribute__((visibility("hidden"))) uint64_t firstcall_reentry_save_size;
extern __attribute__((visibility("hidden"))) uint32_t firstcall_reentry_save_mask;
}

namespace firstcall {
namespace {

using ::firstcall::testing::AddressOf;
using ::firstcall::testing::Backtrace;
using ::firstcall::testing::CallersFrames;
using ::firstcall::testing::EndsWith;
using ::firstcall::testing::FirstCall;
using ::firstcall::testing::TakeBacktrace;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

struct NamedLevel {
  const char* name;
  VectorLevel level;
};

// Prepares firstcall_test_given; false if this CPU has no such registers.
bool SetUpRegisters(VectorLevel level) {
  if (level == VectorLevel::kAvx && !__builtin_cpu_supports("avx")) return false;
  if (level == VectorLevel::kAvx512 &&
      !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))) {
    return false;
  }
  firstcall_test_level = level;
  auto* bytes = reinterpret_cast<uint8_t*>(&firstcall_test_given);
  // No two registers alike, and none as firstcall_test_clobber_registers leaves them.
  for (size_t i = 0; i < sizeof(RegisterImage); ++i) {
    bytes[i] = static_cast<uint8_t>(i * 7 + i / 64 + i / 2048);
  }
  std::memset(&firstcall_test_found, 0, sizeof(RegisterImage));
  return true;
}

void ExpectAllRegistersAreFound(VectorLevel level) {
  EXPECT_THAT(firstcall_test_found.integers, ElementsAreArray(firstcall_test_given.integers));
  const size_t count = level == VectorLevel::kAvx512 ? 32 : 16;
  const size_t size = size_t{16} << static_cast<uint32_t>(level);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(std::memcmp(firstcall_test_found.vectors[i], firstcall_test_given.vectors[i], size),
              0)
        << "vector register " << i;
  }
  if (level == VectorLevel::kAvx512) {
    EXPECT_THAT(firstcall_test_found.masks, ElementsAreArray(firstcall_test_given.masks));
  }
}

class ReentryRegistersTest : public ::testing::TestWithParam<NamedLevel> {
 protected:
  void SetUp() override {
    if (!SetUpRegisters(GetParam().level)) {
      GTEST_SKIP() << "this CPU has no such registers";
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Levels, ReentryRegistersTest,
                         ::testing::Values(NamedLevel{"Sse", VectorLevel::kSse},
                                           NamedLevel{"Avx", VectorLevel::kAvx},
                                           NamedLevel{"Avx512", VectorLevel::kAvx512}),
                         [](const auto& info) { return info.param.name; });

ExecutorAddress ClobberAndFind(const std::atomic<void*>&) {
  firstcall_test_clobber_registers();
  return AddressOf(&firstcall_test_find_registers);
}

// So that the tests below show something: the measuring instrument works.
TEST_P(ReentryRegistersTest, DirectCallFindsThemAll) {
  firstcall_test_callee = reinterpret_cast<const void*>(&firstcall_test_find_registers);
  firstcall_test_call_with_registers();
  ExpectAllRegistersAreFound(GetParam().level);
}

TEST_P(ReentryRegistersTest, FirstCallKeepsThemAll) {
  const FirstCall stub(&ClobberAndFind);
  firstcall_test_callee = stub.address();
  firstcall_test_call_with_registers();
  ExpectAllRegistersAreFound(GetParam().level);
}

// A CPU without XSAVE has the registers of SSE only, and FXSAVE for them.
TEST(ReentryX8664Test, RegistersOfSseAreKeptWithoutXsave) {
  ASSERT_TRUE(SetUpRegisters(VectorLevel::kSse));
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

// What the trap handler, which is called after each instruction, works with.
struct Stepping {
  Backtrace callers;
  uintptr_t stub = 0;
  size_t steps = 0;
  size_t stub_steps = 0;        // In the block of the stub.
  std::vector<uintptr_t> lost;  // Where the callers could not be found.
};
Stepping stepping;

void OnTrap(int, siginfo_t*, void* context) {
  const auto instruction =
      static_cast<uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  ++stepping.steps;
  if (instruction - stepping.stub < 4096) ++stepping.stub_steps;
  if (!EndsWith(TakeBacktrace(), stepping.callers)) stepping.lost.push_back(instruction);
}

__attribute__((noinline)) void CallStepByStep(void (*function)()) {
  constexpr unsigned long long kTrap = 0x100;
  __writeeflags(__readeflags() | kTrap);
  function();
  __writeeflags(__readeflags() & ~kTrap);
}

TEST(ReentryX8664Test, CallersAreFoundAtEveryInstructionOfAFirstCall) {
  const FirstCall stub([](const std::atomic<void*>&) { return AddressOf(+[] {}); });
  stepping = Stepping();
  stepping.stub = reinterpret_cast<uintptr_t>(stub.address());
  stepping.callers = CallersFrames();
  ASSERT_GE(stepping.callers.size(), 3u);
  struct sigaction action = {}, before;
  action.sa_sigaction = OnTrap;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGTRAP, &action, &before), 0);
  CallStepByStep(stub.function<void()>());
  ASSERT_EQ(sigaction(SIGTRAP, &before, nullptr), 0);
  EXPECT_THAT(stepping.lost, IsEmpty());
  // Two instructions of the stub, three of the lead and two of the tail, then the reentry.
  EXPECT_EQ(stepping.stub_steps, 7u);
  EXPECT_GT(stepping.steps, 40u);
}

}  // namespace
}  // namespace firstcall

#else

TEST(ReentryX8664Test, NeedsItsArchitecture) { GTEST_SKIP() << "for x86-64"; }

#endif

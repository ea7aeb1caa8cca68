// What is particular to x86-64 on the way of a first call: registers without XSAVE, the state of
// SSE, and a stack that can be unwound at each instruction, as it can on the way through a counter.

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#if defined(__x86_64__)

#include <elf.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <x86intrin.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/stubs/first_call.h"
#include "tests/stubs/registers.h"

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
using ::firstcall::testing::ClobberAndFind;
using ::firstcall::testing::EndsWith;
using ::firstcall::testing::ExpectAllRegistersAreFound;
using ::firstcall::testing::FirstCall;
using ::firstcall::testing::RunOut;
using ::firstcall::testing::SetUpRegisters;
using ::firstcall::testing::TakeBacktrace;
using ::testing::IsEmpty;

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

// The jumps to other files' functions that the linker made for this executable (".plt" and others).
// Some linkers do not describe them in unwind tables.
struct LinkersJumps {
  LinkersJumps() {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const auto header = Read<Elf64_Ehdr>(bytes, 0);
    const uintptr_t base = getauxval(AT_PHDR) - header.e_phoff;
    const auto section = [&](size_t i) {
      return Read<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    };
    const uint64_t names = section(header.e_shstrndx).sh_offset;
    for (size_t i = 0; i < header.e_shnum; ++i) {
      const std::string name = bytes.c_str() + names + section(i).sh_name;
      if (name.rfind(".plt", 0) != 0 && name != ".iplt") continue;
      const uintptr_t begin = base + section(i).sh_addr;
      ranges.emplace_back(begin, begin + section(i).sh_size);
    }
  }

  template <typename T>
  static T Read(const std::string& bytes, size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(value));
    return value;
  }

  bool Contain(uintptr_t address) const {
    for (auto [begin, end] : ranges) {
      if (begin <= address && address < end) return true;
    }
    return false;
  }

  std::vector<std::pair<uintptr_t, uintptr_t>> ranges;
};

// What the trap handler, which is called after each instruction, works with.
struct Stepping {
  Backtrace callers;
  uintptr_t entry = 0;  // The stub or counter, the first of its block.
  size_t steps = 0;
  size_t block_steps = 0;       // In that block.
  std::vector<uintptr_t> lost;  // Where the callers could not be found.
  const LinkersJumps* linkers_jumps = nullptr;
};
Stepping stepping;

void OnTrap(int, siginfo_t*, void* context) {
  const auto instruction =
      static_cast<uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  ++stepping.steps;
  if (instruction - stepping.entry < 4096) ++stepping.block_steps;
  if (stepping.linkers_jumps->Contain(instruction)) return;
  if (!EndsWith(TakeBacktrace(), stepping.callers)) stepping.lost.push_back(instruction);
}

__attribute__((noinline)) void CallStepByStep(void (*function)()) {
  constexpr unsigned long long kTrap = 0x100;
  __writeeflags(__readeflags() | kTrap);
  function();
  __writeeflags(__readeflags() & ~kTrap);
}

// Fills `stepping` with what is seen in a call of `function`.
__attribute__((noinline)) void StepThrough(void (*function)()) {
  static const LinkersJumps linkers_jumps;
  stepping = Stepping();
  stepping.linkers_jumps = &linkers_jumps;
  stepping.entry = reinterpret_cast<uintptr_t>(function);
  stepping.callers = CallersFrames();
  ASSERT_GE(stepping.callers.size(), 3u);
  struct sigaction action = {}, before;
  action.sa_sigaction = OnTrap;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGTRAP, &action, &before), 0);
  CallStepByStep(function);
  ASSERT_EQ(sigaction(SIGTRAP, &before, nullptr), 0);
  EXPECT_THAT(stepping.lost, IsEmpty());
}

TEST(ReentryX8664Test, CallersAreFoundAtEveryInstructionOfAFirstCall) {
  const FirstCall stub([](const std::atomic<void*>&) { return AddressOf(+[] {}); });
  StepThrough(stub.function<void()>());
  // Two instructions of the stub, three of the lead and two of the tail, then the reentry.
  EXPECT_EQ(stepping.block_steps, 7u);
  EXPECT_GT(stepping.steps, 40u);
}

TEST(ReentryX8664Test, CallersAreFoundAtEveryInstructionOfACounter) {
  const RunOut counted(AddressOf(+[] {}), nullptr);
  counted.counter().left() = 1;
  StepThrough(counted.function<void()>());
  EXPECT_EQ(stepping.block_steps, 4u);
}

TEST(ReentryX8664Test, CallersAreFoundAtEveryInstructionOfACounterThatRunsOut) {
  const RunOut counted(AddressOf(+[] {}), [](const CallCounter&) {});
  StepThrough(counted.function<void()>());
  // Three instructions of the counter, two of its lead and two of the tail, then the reentry.
  EXPECT_EQ(stepping.block_steps, 7u);
  EXPECT_GT(stepping.steps, 40u);
}

}  // namespace
}  // namespace firstcall

#else

TEST(ReentryX8664Test, NeedsItsArchitecture) { GTEST_SKIP() << "for x86-64"; }

#endif

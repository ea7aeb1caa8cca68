// What is particular to AArch64 on the way of a first call: registers without SVE, the state of
// floating point, and a stack that can be unwound at each instruction, as it can on the way through
// a counter.

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#if defined(__aarch64__)

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "tests/stubs/first_call.h"
#include "tests/stubs/registers.h"
#include "tests/testing/backtrace.h"

// Of stub_aarch64.cc, read by the assembly.
extern "C" {
extern __attribute__((visibility("hidden"))) uint32_t firstcall_reentry_has_sve;
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
using ::firstcall::testing::HasRegisters;
using ::firstcall::testing::RunOut;
using ::firstcall::testing::SetUpRegisters;
using ::firstcall::testing::TakeBacktrace;
using ::testing::IsEmpty;

// Whatever this CPU has.
TEST(ReentryAArch64Test, RegistersOfNeonAreKeptWithoutSve) {
  SetUpRegisters(VectorLevel::kNeon);
  const FirstCall stub(&ClobberAndFind);  // Asks the CPU first.
  firstcall_reentry_has_sve = 0;
  firstcall_test_callee = stub.address();
  firstcall_test_call_with_registers();
  firstcall_reentry_has_sve = HasRegisters(VectorLevel::kSve) ? 1 : 0;
  ExpectAllRegistersAreFound(VectorLevel::kNeon);
}

// --- The state that belongs to the program ---

uint64_t ReadFpcr() {
  uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void WriteFpcr(uint64_t value) { __asm__ volatile("msr fpcr, %0" : : "r"(value)); }
uint64_t ReadFpsr() {
  uint64_t value;
  __asm__ volatile("mrs %0, fpsr" : "=r"(value));
  return value;
}
void WriteFpsr(uint64_t value) { __asm__ volatile("msr fpsr, %0" : : "r"(value)); }

uint64_t fpcr_in_handler, fpcr_in_target, fpsr_in_target;
void ReadControlAndStatus() {
  fpcr_in_target = ReadFpcr();
  fpsr_in_target = ReadFpsr();
}

TEST(ReentryAArch64Test, ControlAndStatusOfFloatingPointAreTheProgramsAfterwards) {
  constexpr uint64_t kFlushToZero = uint64_t{1} << 24, kInexactSeen = uint64_t{1} << 4;
  const FirstCall stub([](const std::atomic<void*>&) {
    fpcr_in_handler = ReadFpcr();
    WriteFpsr(ReadFpsr() | 0x1);  // An invalid operation of the compiler's.
    return AddressOf(&ReadControlAndStatus);
  });
  WriteFpcr(kFlushToZero);
  WriteFpsr(kInexactSeen);
  stub.function<void()>()();
  WriteFpcr(0);
  WriteFpsr(0);
  EXPECT_EQ(fpcr_in_handler, 0u);
  EXPECT_EQ(fpcr_in_target, kFlushToZero);
  EXPECT_EQ(fpsr_in_target, kInexactSeen);
}

// --- Unwinding ---

// One instruction, made a breakpoint until it is reached.
class Breakpoint {
 public:
  explicit Breakpoint(uint32_t* instruction) : instruction_(instruction), original_(*instruction) {
    current_ = this;
    Write(0xd4200000);  // brk #0
  }
  ~Breakpoint() {
    if (!is_reached_) Write(original_);
    current_ = nullptr;
  }

  static void OnTrap(int, siginfo_t*, void* context) {
    const auto place = static_cast<ucontext_t*>(context)->uc_mcontext.pc;
    if (current_ == nullptr || place != reinterpret_cast<uintptr_t>(current_->instruction_))
      abort();
    current_->is_reached_ = true;
    current_->Write(current_->original_);
    current_->frames_ = TakeBacktrace();
  }

  bool is_reached() const { return is_reached_; }
  const Backtrace& frames() const { return frames_; }

 private:
  void Write(uint32_t value) {
    *instruction_ = value;
    __builtin___clear_cache(reinterpret_cast<char*>(instruction_),
                            reinterpret_cast<char*>(instruction_ + 1));
  }

  static Breakpoint* current_;
  uint32_t* const instruction_;
  const uint32_t original_;
  bool is_reached_ = false;
  Backtrace frames_;
};
Breakpoint* Breakpoint::current_ = nullptr;

// Appends the instructions from `begin` up to the first `last`, and makes their pages writable.
void AppendInstructions(const void* begin, uint32_t last, std::vector<uint32_t*>& instructions) {
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const auto page_size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  ASSERT_EQ(mprotect(reinterpret_cast<void*>(address & ~(page_size - 1)), 2 * page_size,
                     PROT_READ | PROT_WRITE | PROT_EXEC),
            0);
  auto* next = reinterpret_cast<uint32_t*>(address);
  do {
    instructions.push_back(next);
  } while (*next++ != last);
}

__attribute__((noinline)) void Call(void (*function)()) {
  function();
  __asm__ volatile("");  // No tail call.
}

constexpr uint32_t kBrX16 = 0xd61f0200, kBrX17 = 0xd61f0220, kB = 0x14000000;

bool IsB(uint32_t instruction) { return (instruction & 0xfc000000) == kB; }

// Stops at each of `instructions`, and of the reentry's, in calls of `function`, of which at least
// every second one has to come by.
__attribute__((noinline)) void StopAtEach(std::vector<uint32_t*> instructions, void (*function)()) {
  AppendInstructions(HostStubArchitecture().reentry.InThisProcess<const void*>(), kBrX17,
                     instructions);
  EXPECT_GT(instructions.size(), 100u);
  struct sigaction action = {}, before;
  action.sa_sigaction = Breakpoint::OnTrap;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGTRAP, &action, &before), 0);
  const Backtrace callers = CallersFrames();
  ASSERT_GE(callers.size(), 3u);
  std::set<const uint32_t*> unreached(instructions.begin(), instructions.end());
  std::vector<const uint32_t*> lost;  // Where the callers could not be found.
  for (uint32_t has_sve = 0; has_sve <= (HasRegisters(VectorLevel::kSve) ? 1u : 0u); ++has_sve) {
    firstcall_reentry_has_sve = has_sve;
    for (uint32_t* instruction : instructions) {
      const Breakpoint breakpoint(instruction);
      Call(function);
      if (!breakpoint.is_reached()) Call(function);
      if (!breakpoint.is_reached()) continue;
      unreached.erase(instruction);
      if (!EndsWith(breakpoint.frames(), callers)) lost.push_back(instruction);
    }
  }
  ASSERT_EQ(sigaction(SIGTRAP, &before, nullptr), 0);
  EXPECT_THAT(lost, IsEmpty());
  if (HasRegisters(VectorLevel::kSve)) {
    EXPECT_THAT(unreached, IsEmpty());
  }
}

TEST(ReentryAArch64Test, CallersAreFoundAtEveryInstructionOfAFirstCall) {
  const FirstCall stub([](const std::atomic<void*>&) { return AddressOf(+[] {}); });
  const StubArchitecture& architecture = HostStubArchitecture();
  const size_t count = 127;  // Of a full block; this is its first stub.
  const auto* block = static_cast<const uint8_t*>(stub.address());
  std::vector<uint32_t*> instructions;
  AppendInstructions(block, kBrX16, instructions);
  const uint32_t* lead =
      reinterpret_cast<const uint32_t*>(block + architecture.layout.LeadOffset(count, 0));
  AppendInstructions(lead, lead[2], instructions);
  ASSERT_TRUE(IsB(lead[2]));
  AppendInstructions(block + architecture.layout.TailOffset(count), kBrX16, instructions);
  ASSERT_EQ(instructions.size(), 4u + 3u + 6u);
  StopAtEach(std::move(instructions), stub.function<void()>());
}

TEST(ReentryAArch64Test, CallersAreFoundAtEveryInstructionOfACounter) {
  // Every second call finds nothing left.
  const RunOut counted(AddressOf(+[] {}), [](const CallCounter& counter) { counter.left() = 1; });
  const StubArchitecture& architecture = HostStubArchitecture();
  const size_t count = 101;  // Of a full block; this is its first counter.
  const auto* block = static_cast<const uint8_t*>(counted.address());
  std::vector<uint32_t*> instructions;
  AppendInstructions(block, kBrX16, instructions);
  const auto* lead = reinterpret_cast<const uint32_t*>(block) + instructions.size();
  AppendInstructions(lead, lead[1], instructions);
  ASSERT_TRUE(IsB(lead[1]));
  AppendInstructions(block + architecture.counter_layout.TailOffset(count), kBrX16, instructions);
  ASSERT_EQ(instructions.size(), 8u + 2u + 6u);
  StopAtEach(std::move(instructions), counted.function<void()>());
}

}  // namespace
}  // namespace firstcall

#else

TEST(ReentryAArch64Test, NeedsItsArchitecture) { GTEST_SKIP() << "for AArch64"; }

#endif

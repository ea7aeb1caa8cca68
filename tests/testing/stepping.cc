#include "tests/testing/stepping.h"

#if defined(__x86_64__)

#include <elf.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <x86intrin.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/backtrace.h"

namespace firstcall::testing {
namespace {

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

}  // namespace

__attribute__((noinline)) Steps StepThrough(void (*function)()) {
  static const LinkersJumps linkers_jumps;
  stepping = Stepping();
  stepping.linkers_jumps = &linkers_jumps;
  stepping.entry = reinterpret_cast<uintptr_t>(function);
  stepping.callers = CallersFrames();
  EXPECT_GE(stepping.callers.size(), 3u);
  struct sigaction action = {}, before;
  action.sa_sigaction = OnTrap;
  action.sa_flags = SA_SIGINFO;
  EXPECT_EQ(sigaction(SIGTRAP, &action, &before), 0);
  CallStepByStep(function);
  EXPECT_EQ(sigaction(SIGTRAP, &before, nullptr), 0);
  EXPECT_THAT(stepping.lost, ::testing::IsEmpty());
  return {stepping.steps, stepping.block_steps};
}

}  // namespace firstcall::testing

#endif  // __x86_64__

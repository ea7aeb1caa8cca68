// Objects by LLVM, and their code as it would run somewhere.

#include "object/running_code.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/object/linking.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kProgram[] = R"(
  declare i32 @callee(i32)
  define i32 @f(i32 %x) {
    %y = call i32 @callee(i32 %x)
    %z = add i32 %y, 77
    ret i32 %z
  }
  define i32 @g() { ret i32 5 }
)";

class RunningCodeTest : public ElfLinking {
 protected:
  RunningCodeTest() : object_(Parse(kProgram)) {
    for (size_t i = 0; i < object_.symbol_count(); ++i) {
      const ElfObject::Symbol symbol = object_.symbol(i);
      if (object_.NameOf(symbol) != "f") continue;
      const auto& section = object_.sections()[object_.SectionOf(symbol, i)];
      code_.assign(&object_.BytesOf(section)[symbol.value], symbol.size);
    }
  }

  bool IsF() const { return IsCodeOf(object_, "f", code_.data()); }

  // Where the code calls, or loads the address of, its callee.
  size_t RelocatedPlace() const {
    for (const ElfObject::Section& table : object_.sections()) {
      if (object_.IsTableOfLoaded(table) && !object_.sections()[table.info].is_unwind_table()) {
        return object_.relocation(table, 0).offset;
      }
    }
    return 0;
  }

  ElfObject& object_;
  std::string code_;
};

TEST_F(RunningCodeTest, SameCodeIsRecognized) {
  EXPECT_TRUE(IsF());
  EXPECT_FALSE(IsCodeOf(object_, "g", code_.data()));
  EXPECT_FALSE(IsCodeOf(object_, "not there", code_.data()));
  EXPECT_FALSE(IsCodeOf(object_, "callee", code_.data()));
}

TEST_F(RunningCodeTest, WhatTheLinkerWritesMayDiffer) {
  code_[RelocatedPlace()] ^= 0x7f;
  EXPECT_TRUE(IsF());
}

TEST_F(RunningCodeTest, EveryOtherByteMustBeTheSame) {
  const size_t relocated = RelocatedPlace();
  for (size_t i = 0; i < code_.size(); ++i) {
    if (i >= relocated && i < relocated + 4) continue;
    code_[i] ^= 1;
    EXPECT_FALSE(IsF()) << i;
    code_[i] ^= 1;
  }
}

TEST_F(RunningCodeTest, BreakpointsDoNotMatter) {
#if defined(__x86_64__)
  code_[0] = '\xcc';
  EXPECT_TRUE(IsF());
#else
  const uint32_t breakpoint = 0xd4200000;
  std::memcpy(code_.data(), &breakpoint, 4);
  EXPECT_TRUE(IsF());
#endif
}

TEST_F(RunningCodeTest, SizesAreThoseOfSymbols) {
  EXPECT_EQ(CodeSizeOf(object_, "f"), code_.size());
  EXPECT_EQ(CodeSizeOf(object_, "not there"), 0u);
}

// Code for a machine, and where it calls.
class StraightTargetsTest : public ::testing::Test {
 protected:
  static std::vector<int64_t> DistancesIn(Machine machine, const std::string& code) {
    std::vector<int64_t> distances;
    for (uintptr_t target : StraightTargetsOf(machine, code.data(), code.size())) {
      distances.push_back(static_cast<int64_t>(target - reinterpret_cast<uintptr_t>(code.data())));
    }
    return distances;
  }
};

TEST_F(StraightTargetsTest, CallsAndJumpsOnX86_64) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not read memory for others";
  // nop; call +16; mov (%rip), %eax; jmp -32; a call that is cut.
  const std::string code = {'\x90', '\xe8', 16,     0,      0,      0,      '\x8b', 5,      0, 0,
                            0,      0,      '\xe9', '\xe0', '\xff', '\xff', '\xff', '\xe8', 0, 0};
  EXPECT_THAT(DistancesIn(Machine::kX86_64, code), ElementsAre(6 + 16, 17 - 32));
}

TEST_F(StraightTargetsTest, CallsAndJumpsOnAArch64) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not read memory for others";
  // nop; bl +8; b -4; blr x8; half of an instruction.
  const uint32_t words[] = {0xd503201f, 0x94000002, 0x17ffffff, 0xd63f0100, 0x94000002};
  const std::string code(reinterpret_cast<const char*>(words), sizeof words - 2);
  EXPECT_THAT(DistancesIn(Machine::kAArch64, code), ElementsAre(4 + 8, 8 - 4));
}

TEST_F(StraightTargetsTest, CodeEndsWhereNothingIsMapped) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not read memory for others";
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const pages =
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(static_cast<char*>(pages) + page, page, PROT_NONE), 0);
  char* const code = static_cast<char*>(pages) + page - 8;
  std::memcpy(code, "\xe8\x10\0\0\0", 5);
  EXPECT_THAT(StraightTargetsOf(Machine::kX86_64, code, page), SizeIs(1));
  EXPECT_THAT(StraightTargetsOf(Machine::kX86_64, code + 8, page), IsEmpty());
  munmap(pages, 2 * page);
}

}  // namespace
}  // namespace firstcall

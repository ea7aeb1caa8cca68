// Objects by LLVM, and their code as it would run somewhere.

#include "object/running_code.h"

#include <cstring>
#include <string>

#include "gtest/gtest.h"
#include "tests/object/linking.h"

namespace firstcall {
namespace {

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

}  // namespace
}  // namespace firstcall

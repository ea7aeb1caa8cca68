// What a debugger would find that attaches later. That GDB reads it is tested in tests/debugger.

#include "object/code_names.h"

#include <elf.h>

#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "object/debugger_registration.h"
#include "tests/object/linking.h"
#include "tests/testing/jit_descriptor.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

// Named addresses of code.
using Names = std::vector<std::pair<std::string, uint64_t>>;

template <typename Record>
Record ReadAt(const char* image, uint64_t offset) {
  Record record;
  std::memcpy(&record, image + offset, sizeof(record));
  return record;
}

// As a debugger reads the objects in the list.
Names Read() {
  Names names;
  for (const jit_code_entry* entry = __jit_debug_descriptor.first_entry; entry != nullptr;
       entry = entry->next_entry) {
    const char* const image = entry->symfile_addr;
    const auto header = ReadAt<Elf64_Ehdr>(image, 0);
    const auto section = [&](uint64_t number) {
      return ReadAt<Elf64_Shdr>(image, header.e_shoff + number * sizeof(Elf64_Shdr));
    };
    for (uint64_t i = 0; i < header.e_shnum; ++i) {
      const Elf64_Shdr table = section(i);
      if (table.sh_type != SHT_SYMTAB) continue;
      const Elf64_Shdr strings = section(table.sh_link);
      for (uint64_t at = sizeof(Elf64_Sym); at < table.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = ReadAt<Elf64_Sym>(image, table.sh_offset + at);
        EXPECT_LT(symbol.st_name, strings.sh_size);
        EXPECT_LE(table.sh_offset + table.sh_size, entry->symfile_size);
        if (symbol.st_shndx == SHN_UNDEF) continue;
        const Elf64_Shdr code = section(symbol.st_shndx);
        EXPECT_EQ(code.sh_flags, uint64_t{SHF_ALLOC | SHF_EXECINSTR});
        EXPECT_LE(symbol.st_value + symbol.st_size, code.sh_size);
        names.emplace_back(image + strings.sh_offset + symbol.st_name,
                           code.sh_addr + symbol.st_value);
      }
    }
  }
  return names;
}

class CodeNamesTest : public ElfLinking {
 protected:
  // Notes the functions of `text`, whose section number n lies at `base` + 4096 * n.
  std::function<void()> Note(const std::string& text, uint64_t base) {
    ElfObject& object = Parse(text);
    for (size_t i = 0; i < object.sections().size(); ++i) {
      if (object.sections()[i].name == ".text") code_ = base + (i << 12);
    }
    return NoteCodeNames(object, [&](uint32_t section) {
      return object.sections()[section].is_loaded() ? ExecutorAddress(base + (section << 12))
                                                    : ExecutorAddress();
    });
  }

  uint64_t code_ = 0;  // Where the code was that was noted last.
};

TEST_F(CodeNamesTest, FunctionsAreFoundUntilTheyAreRemoved) {
  const std::function<void()> remove = Note("define void @f() { ret void }", 0x700000000000);
  ASSERT_TRUE(remove);
  EXPECT_THAT(Read(), Contains(Pair("f", code_)));
  const std::function<void()> remove_other =
      Note("define internal void @\"g$7\"() { ret void }  define ptr @h() { ret ptr @\"g$7\" }",
           0x7f0000000000);
  EXPECT_THAT(Read(), Contains(Pair("g", code_)));
  EXPECT_THAT(Read(), Contains(Pair("f", 0x700000000000 + (code_ & 0xffff))));
  remove();
  EXPECT_THAT(Read(), Not(Contains(Pair("f", testing::_))));
  EXPECT_THAT(Read(), Contains(Pair("h", testing::_)));
  remove_other();
  EXPECT_THAT(Read(), IsEmpty());
}

TEST_F(CodeNamesTest, NameOfSomethingElseThanAFunctionIsNotNoted) {
  EXPECT_FALSE(Note("@variable = global i32 7", 0x700000000000));
}

TEST_F(CodeNamesTest, RemovedNamesMakeRoomForOthers) {
  (void)Note("define void @function_0() { ret void }", 0x500000000000);
  const auto used = [] {
    const auto* const image = __jit_debug_descriptor.first_entry->symfile_addr;
    const auto header = ReadAt<Elf64_Ehdr>(image, 0);
    return ReadAt<Elf64_Shdr>(image, header.e_shoff + sizeof(Elf64_Shdr)).sh_size;
  };
  const uint64_t before = used();
  for (int i = 1; i < 1000; ++i) {
    const std::function<void()> remove =
        Note(absl::StrCat("define void @function_", i, "() { ret void }"), 0x500000000000);
    EXPECT_THAT(Read(), Contains(Pair(absl::StrCat("function_", i), code_)));
    remove();
  }
  EXPECT_LE(used(), before + 4 * sizeof(Elf64_Sym));
}

TEST_F(CodeNamesTest, SectionBeginsWithItsFirstCode) {
  const std::function<void()> remove = Note("define void @high() { ret void }", 0x400000040000);
  const uint64_t high = code_;
  const std::function<void()> remove_other =
      Note("define void @low() { ret void }", 0x400000000000);
  EXPECT_THAT(Read(), Contains(Pair("high", high)));
  EXPECT_THAT(Read(), Contains(Pair("low", code_)));
  const auto* const image = __jit_debug_descriptor.first_entry->symfile_addr;
  const auto header = ReadAt<Elf64_Ehdr>(image, 0);
  for (uint64_t i = 4; i < header.e_shnum; ++i) {
    const auto section = ReadAt<Elf64_Shdr>(image, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_addr >> 20 != 0x4000000) continue;
    EXPECT_TRUE(section.sh_addr == high || section.sh_addr == code_);
    EXPECT_LT(section.sh_size, 0x1000u);
  }
  remove();
  remove_other();
}

TEST_F(CodeNamesTest, ThereIsRoomForManyFunctionsInManyPlaces) {
  std::vector<std::function<void()>> removals;
  for (uint64_t i = 0; i < 2000; ++i) {
    removals.push_back(Note(absl::StrCat("define void @function_", i, "() { ret void }"),
                            0x600000000000 + (i << 22)));
  }
  const Names names = Read();
  EXPECT_GE(names.size(), 2000u);
  EXPECT_THAT(names, Contains(Pair("function_0", testing::_)));
  EXPECT_THAT(names, Contains(Pair("function_1999", code_)));
  for (const auto& remove : removals) remove();
  EXPECT_THAT(Read(), Not(Contains(Pair("function_1999", testing::_))));
}

// Runs before the others, and in a process of its own, because what was turned away once stays so.
using CodeNamesDeathTest = CodeNamesTest;

TEST_F(CodeNamesDeathTest, RegistrarThatCannotKeepNamesIsNotAsked) {
  EXPECT_EXIT(
      {
        SetDebuggerRegistrar([](std::vector<char>) { return [] {}; });
        const bool is_noted = static_cast<bool>(Note("define void @f() { ret void }", 1 << 20));
        _exit(is_noted || __jit_debug_descriptor.first_entry != nullptr);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace firstcall

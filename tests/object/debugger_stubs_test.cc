// What a debugger is told. That GDB steps through stubs is tested in tests/debugger.

#include "object/debugger_stubs.h"

#include <elf.h>

#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "memory/executor_address.h"
#include "object/debugger_registration.h"

namespace firstcall {
namespace {

TEST(DebuggerStubsTest, BlockIsALinkageTableWithAnUnwindTable) {
  std::vector<char> image;
  bool is_withdrawn = false;
  SetDebuggerRegistrar([&](std::vector<char> registered) {
    image = std::move(registered);
    return [&] { is_withdrawn = true; };
  });
  const std::vector<uint8_t> table = {1, 2, 3, 4, 0, 0, 0, 0};
  const std::function<void()> withdraw = RegisterStubsWithDebugger(
      ExecutorAddress(0x10000), 4096, ExecutorAddress(0x20000), absl::MakeConstSpan(table));
  SetDebuggerRegistrar(nullptr);

  Elf64_Ehdr header;
  ASSERT_GE(image.size(), sizeof(header));
  std::memcpy(&header, image.data(), sizeof(header));
  ASSERT_EQ(image.size(), header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr));
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), image.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  const char* const names = image.data() + sections[header.e_shstrndx].sh_offset;
  ASSERT_GE(sections.size(), 4u);
  EXPECT_STREQ(names + sections[1].sh_name, ".plt");
  EXPECT_EQ(sections[1].sh_addr, 0x10000u);
  EXPECT_EQ(sections[1].sh_size, 4096u);
  EXPECT_STREQ(names + sections[2].sh_name, ".eh_frame");
  EXPECT_EQ(sections[2].sh_addr, 0x20000u);
  EXPECT_EQ(std::memcmp(image.data() + sections[2].sh_offset, table.data(), table.size()), 0);
  EXPECT_STREQ(names + sections[3].sh_name, ".symtab");
  Elf64_Sym symbol;
  ASSERT_EQ(sections[3].sh_size, 2 * sizeof(symbol));
  std::memcpy(&symbol, image.data() + sections[3].sh_offset + sizeof(symbol), sizeof(symbol));
  const char* const strings = image.data() + sections[sections[3].sh_link].sh_offset;
  EXPECT_STREQ(strings + symbol.st_name, "firstcall_stubs");
  EXPECT_EQ(symbol.st_size, 4096u);

  EXPECT_FALSE(is_withdrawn);
  withdraw();
  EXPECT_TRUE(is_withdrawn);
}

}  // namespace
}  // namespace firstcall

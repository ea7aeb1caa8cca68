#include "backend/llvm/llvm_text_assembler.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// For this machine, twice: the second time, the assembler may know the text.
absl::StatusOr<std::string> Assemble(const std::string& text) {
  const absl::StatusOr<Target> target = Target::Create(TargetSettings());
  if (!target.ok()) return target.status();
  LlvmTextAssembler assembler(*target);
  absl::StatusOr<std::string> first = assembler.Assemble(text);
  EXPECT_EQ(assembler.Assemble(text), first);
  return first;
}

#ifdef __x86_64__

TEST(LlvmTextAssemblerTest, MachineCode) {
  EXPECT_EQ(Assemble("nop").value(), "\x90");
  EXPECT_EQ(Assemble("bswap %rdi; cpuid").value(), "\x48\x0f\xcf\x0f\xa2");
  EXPECT_EQ(Assemble("").value(), "");
  // Branches inside the text are complete.
  EXPECT_EQ(Assemble("1: dec %eax\n jnz 1b\n jmp 2f\n nop\n2:").value(),
            std::string("\xff\xc8\x75\xfc\xeb\x01\x90"));
  EXPECT_EQ(Assemble(".byte 15, 11").value(), "\x0f\x0b");
}

TEST(LlvmTextAssemblerTest, TextsThatAreMoreThanBytes) {
  for (const char* text :
       {"call somewhere", "lea somewhere(%rip), %rax", "place: nop", ".globl place\nplace: nop",
        ".pushsection list,\"aw\"\n.quad 1\n.popsection", ".data\n.byte 1", ".p2align 4\nnop",
        "nop\n.balign 2", "nop\n.text 1\nud2\n.text 0", "nop\n.text 1\nud2",
        ".pushsection .text.other,\"ax\",@progbits\nud2\n.popsection",
        "jmp 1f\n.subsection 1\n1: jmp 2f\n.previous\n2: nop", "$d: nop"}) {
    EXPECT_THAT(Assemble(text), StatusIs(absl::StatusCode::kUnimplemented)) << text;
  }
}

#endif

#ifdef __aarch64__

TEST(LlvmTextAssemblerTest, MachineCode) {
  EXPECT_EQ(Assemble("nop").value(), std::string("\x1f\x20\x03\xd5"));
  EXPECT_EQ(Assemble("1: subs x0, x0, #1\n b.ne 1b").value(),
            std::string("\x00\x04\x00\xf1\xe1\xff\xff\x54", 8));
  EXPECT_EQ(Assemble(".inst 0xd503201f").value(), std::string("\x1f\x20\x03\xd5"));
}

TEST(LlvmTextAssemblerTest, TextsThatAreMoreThanBytes) {
  for (const char* text : {"bl somewhere", "adrp x0, somewhere", "place: nop", ".data\n.byte 1",
                           ".p2align 4\nnop", ".byte 1", "$data: nop"}) {
    EXPECT_THAT(Assemble(text), StatusIs(absl::StatusCode::kUnimplemented)) << text;
  }
}

#endif

#ifdef __aarch64__
// The literal would lie behind the text.
TEST(LlvmTextAssemblerTest, TextsWithLiterals) {
  EXPECT_THAT(Assemble("ldr w0, =0x12345678"), Not(IsOk()));
}
#endif

TEST(LlvmTextAssemblerTest, OnlyElfHasTexts) {
  TargetSettings settings;
  settings.triple = "x86_64-unknown-linux-gnu-macho";
#ifdef __aarch64__
  settings.triple = "aarch64-unknown-linux-gnu-macho";
#endif
  ASSERT_OK_AND_ASSIGN(const Target target, Target::Create(settings));
  EXPECT_THAT(LlvmTextAssembler(target).Assemble("nop"),
              StatusIs(absl::StatusCode::kUnimplemented));
}

TEST(LlvmTextAssemblerTest, TextsThatAreWrong) {
  EXPECT_THAT(
      Assemble("nop\nbogus_instruction %eax"),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("assemble inline assembly: ")));
  EXPECT_THAT(Assemble(".cfi_def_cfa_offset 8"), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace firstcall

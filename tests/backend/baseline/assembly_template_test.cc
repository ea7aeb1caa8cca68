#include "backend/baseline/assembly_template.h"

#include <optional>
#include <string>
#include <vector>

#include "backend/baseline/registers_aarch64.h"
#include "backend/baseline/registers_x86_64.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall::baseline {
namespace {

using ::testing::Optional;

AssemblyOperand InRegister(Register reg, uint16_t bits = 64) {
  AssemblyOperand operand;
  operand.reg = reg;
  operand.bits = bits;
  return operand;
}

AssemblyOperand InMemory(Register address) {
  AssemblyOperand operand = InRegister(address);
  operand.kind = AssemblyOperand::Kind::kMemory;
  return operand;
}

AssemblyOperand Immediate(int64_t value) {
  AssemblyOperand operand;
  operand.kind = AssemblyOperand::Kind::kImmediate;
  operand.immediate = value;
  return operand;
}

std::optional<std::string> X86(const std::string& text,
                               const std::vector<AssemblyOperand>& operands) {
  return ExpandTemplate(text, operands, AssemblySyntaxX86_64());
}

std::optional<std::string> AArch64(const std::string& text,
                                   const std::vector<AssemblyOperand>& operands) {
  return ExpandTemplate(text, operands, AssemblySyntaxAArch64());
}

TEST(AssemblyTemplateTest, DollarsAndAlternatives) {
  EXPECT_THAT(X86("mov $$5, %eax\n\tnop", {}), Optional(std::string("mov $5, %eax\n\tnop")));
  EXPECT_THAT(X86("a$(b$|c$)d$|e", {}), Optional(std::string("abd|e")));
  EXPECT_THAT(X86(".Lx${:uid}:", {}), Optional(std::string(".Lx0:")));
  for (const char* text : {"$", "$x", "$(a", "$($(a$)", "${", "${:other}", "$0", "${0", "${0:bb}",
                           "${x}", "$99999999999"}) {
    EXPECT_EQ(X86(text, {}), std::nullopt) << text;
  }
}

TEST(AssemblyTemplateTest, RegistersOfX86_64) {
  using namespace x86_64;  // NOLINT(google-build-using-namespace)
  EXPECT_THAT(X86("$0 $1 $2 $3", {InRegister(kRax, 8), InRegister(kRcx, 16), InRegister(kRdx, 32),
                                  InRegister(kRbx)}),
              Optional(std::string("%al %cx %edx %rbx")));
  EXPECT_THAT(X86("${0:b} ${0:h} ${0:w} ${0:k} ${0:q} ${0:a}", {InRegister(kRbx)}),
              Optional(std::string("%bl %bh %bx %ebx %rbx (%rbx)")));
  EXPECT_THAT(X86("$0 ${0:b} ${0:w} ${0:k}", {InRegister(kR9)}),
              Optional(std::string("%r9 %r9b %r9w %r9d")));
  EXPECT_THAT(X86("${0:b} ${1:b}", {InRegister(kRsi), InRegister(kRdi)}),
              Optional(std::string("%sil %dil")));
  EXPECT_THAT(X86("$0 ${0:x}", {InRegister(kXmm9, 128)}), Optional(std::string("%xmm9 %xmm9")));
  EXPECT_EQ(X86("${0:h}", {InRegister(kRsi)}), std::nullopt);
  EXPECT_EQ(X86("${0:a}", {InRegister(kRsi, 32)}), std::nullopt);
  EXPECT_EQ(X86("${0:z}", {InRegister(kRax)}), std::nullopt);
  EXPECT_EQ(X86("${0:t}", {InRegister(kXmm9)}), std::nullopt);
}

TEST(AssemblyTemplateTest, OtherOperandsOfX86_64) {
  EXPECT_THAT(X86("$0 ${0:H} $1 ${1:c} ${1:n}", {InMemory(x86_64::kR10), Immediate(-7)}),
              Optional(std::string("(%r10) 8(%r10) $-7 -7 7")));
  EXPECT_THAT(X86("${0:n}", {Immediate(INT64_MIN)}), Optional(std::string("-9223372036854775808")));
  EXPECT_EQ(X86("${0:l}", {Immediate(1)}), std::nullopt);
  EXPECT_EQ(X86("${0:x}", {InMemory(x86_64::kRax)}), std::nullopt);
}

TEST(AssemblyTemplateTest, OperandsOfAArch64) {
  using aarch64::V;
  using aarch64::X;
  EXPECT_THAT(AArch64("$0 ${0:w} ${0:x}", {InRegister(X(7), 32)}),
              Optional(std::string("x7 w7 x7")));
  EXPECT_THAT(AArch64("${0:a}", {InRegister(X(7))}), Optional(std::string("[x7]")));
  EXPECT_EQ(AArch64("${0:a}", {InRegister(X(7), 32)}), std::nullopt);
  EXPECT_THAT(AArch64("$0.4s ${0:b} ${0:h} ${0:s} ${0:d} ${0:q}", {InRegister(V(21), 128)}),
              Optional(std::string("v21.4s b21 h21 s21 d21 q21")));
  EXPECT_THAT(AArch64("$0 $1 ${1:c}", {InMemory(X(3)), Immediate(-7)}),
              Optional(std::string("[x3] -7 -7")));
  EXPECT_EQ(AArch64("${0:q}", {InRegister(X(1))}), std::nullopt);
  EXPECT_EQ(AArch64("${0:w}", {InRegister(V(1))}), std::nullopt);
  EXPECT_EQ(AArch64("${0:w}", {InMemory(X(1))}), std::nullopt);
  EXPECT_EQ(AArch64("${0:w}", {Immediate(0)}), std::nullopt);
}

}  // namespace
}  // namespace firstcall::baseline

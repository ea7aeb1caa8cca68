// Inline assembly with a text: the baseline code generator and LLVM must compute the same, and what
// the baseline does not cover is refused.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/backend/baseline/expect_same.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

// `body` computes %result of %a and %b.
std::string FunctionOf(const std::string& body, const std::string& name = "f") {
  return absl::StrCat("define i64 @", name, "(i64 %a, i64 %b) {\n", body, "  ret i64 %result\n}\n");
}

// All values of 16 bits and more that live across the assembly: more than there are registers.
std::string Pressed(const std::string& body) {
  std::string before, after = "  %s0 = add i64 %inner, 0\n";
  constexpr int kValues = 16;
  for (int i = 0; i < kValues; ++i) {
    absl::StrAppend(&before, "  %v", i, " = mul i64 %a, ", 2 * i + 3, "\n");
    absl::StrAppend(&before, "  %d", i, " = sitofp i64 %v", i, " to double\n");
    absl::StrAppend(&after, "  %e", i, " = bitcast double %d", i, " to i64\n  %t", i,
                    " = xor i64 %s", i, ", %e", i, "\n  %s", i + 1, " = add i64 %t", i, ", %v", i,
                    "\n");
  }
  return FunctionOf(absl::StrCat(before, absl::StrReplaceAll(body, {{"%result", "%inner"}}), after,
                                 "  %result = add i64 %s", kValues, ", 0\n"));
}

void ExpectSameOf(const std::string& body) {
  ExpectSame(FunctionOf(body));
  ExpectSame(Pressed(body));
}

// Compiles with the baseline code generator alone.
absl::Status CompileOnly(const std::string& body) {
  Engine& engine = StrictEngine(/*is_near=*/true, "");
  const absl::StatusOr<ModuleId> module = engine.AddAssembly(FunctionOf(body, "refused"), "test");
  if (!module.ok()) return module.status();
  const absl::Status status = engine.Prepare({"refused"});
  EXPECT_THAT(engine.Remove(*module), IsOk());
  return status;
}

void ExpectNotCovered(const std::string& call) {
  EXPECT_THAT(CompileOnly(absl::StrCat("  %result = call ", call, "\n")),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("inline assembly")))
      << call;
}

#ifdef __x86_64__

TEST(InlineAssemblyTest, OperandsInRegisters) {
  ExpectSameOf("  %result = call i64 asm \"leaq ($1,$2,4), $0\", \"=r,r,r\"(i64 %a, i64 %b)\n");
  ExpectSameOf("  %result = call i64 asm \"addq $2, $0\", \"=&r,0,r,~{flags}\"(i64 %a, i64 %b)\n");
  ExpectSameOf("  %result = call i64 asm \"bswapq $0\", \"=r,0\"(i64 %a)\n");
  ExpectSameOf(R"(
  %x = trunc i64 %a to i32
  %y = call i32 asm "roll $$5, ${0:k}; addb $$1, ${0:b}; movzwl ${0:w}, $0", "=r,0,~{cc}"(i32 %x)
  %result = zext i32 %y to i64
)");
  ExpectSameOf(R"(
  %x = trunc i64 %a to i8
  %y = call i16 asm "movzbw $1, $0; xchgb ${0:b}, ${0:h}", "=Q,q"(i8 %x)
  %result = zext i16 %y to i64
)");
  // More than calls leave alone, and more than calls change.
  std::string sums = "xorq $0, $0";
  for (int i = 1; i < 13; ++i) absl::StrAppend(&sums, "; addq $", i, ", $0; rolq $$3, $0");
  ExpectSameOf(absl::StrCat("  %x = xor i64 %a, %b\n  %result = call i64 asm \"", sums, R"(",
      "=&r,r,r,r,r,r,r,r,r,r,r,r,r,~{flags}"(i64 %a, i64 %b, i64 %x, i64 %a, i64 %b, i64 %x,
      i64 %a, i64 %b, i64 %x, i64 %b, i64 %a, i64 %x)
)"));
}

TEST(InlineAssemblyTest, NamedRegisters) {
  ExpectSameOf(R"(
  %p = call { i64, i64 } asm "mulq $3", "={ax},={dx},{ax},r,~{flags}"(i64 %a, i64 %b)
  %low = extractvalue { i64, i64 } %p, 0
  %high = extractvalue { i64, i64 } %p, 1
  %result = xor i64 %low, %high
)");
  ExpectSameOf(R"(
  %c = call i64 asm sideeffect "shlq %cl, $0", "=r,0,{cx},~{flags}"(i64 %a, i64 %b)
  %d = call i64 asm sideeffect "movq $1, $0; xorq %rbx, %rbx; movq %rbx, %r15",
       "={r12},{bx},~{rbx},~{r15},~{flags}"(i64 %c)
  %result = add i64 %c, %d
)");
  // What cpuid says of the vendor.
  ExpectSameOf(R"(
  %s = call { i32, i32, i32, i32 } asm "cpuid", "={ax},={bx},={cx},={dx},0,2,~{flags}"(i32 0, i32 0)
  %x = extractvalue { i32, i32, i32, i32 } %s, 1
  %y = extractvalue { i32, i32, i32, i32 } %s, 3
  %z = xor i32 %x, %y
  %result = zext i32 %z to i64
)");
}

TEST(InlineAssemblyTest, Memory) {
  ExpectSameOf(R"(
  %p = alloca [4 x i64]
  %q = getelementptr i64, ptr %p, i64 2
  store i64 %b, ptr %q
  call void asm sideeffect "addq $1, $0; lock; xaddq $2, $0",
      "=*m,r,r,*m,~{memory},~{flags}"(ptr elementtype(i64) %q, i64 %a, i64 7,
      ptr elementtype(i64) %q)
  %result = load i64, ptr %q
)");
  ExpectSameOf(R"(
  %p = alloca i64
  store i64 %b, ptr %p
  %n = call { ptr, i64 } asm sideeffect "cld; rep; stosb", "={di},={cx},0,1,{ax},~{memory}"(
      ptr %p, i64 3, i64 %a)
  %end = extractvalue { ptr, i64 } %n, 0
  %s = ptrtoint ptr %end to i64
  %t = ptrtoint ptr %p to i64
  %size = sub i64 %s, %t
  %x = load i64, ptr %p
  %result = add i64 %x, %size
)");
}

TEST(InlineAssemblyTest, Immediates) {
  ExpectSameOf("  %result = call i64 asm \"leaq ${2:c}($1), $0\", \"=r,r,i\"(i64 %a, i64 -77)\n");
  ExpectSameOf(
      "  %result = call i64 asm \"addq $2, $0\", \"=r,0,imr,~{flags}\"(i64 %a, i64 1000)\n");
  ExpectSameOf("  %result = call i64 asm \"addq $2, $0\", \"=r,0,er,~{flags}\"(i64 %a, i64 %b)\n");
  // Alternatives: a number, or a register.
  ExpectSameOf(
      "  %result = call i64 asm \"shlq $2, $0\", \"=r,0,J{cx},~{flags}\"(i64 %a, i64 55)\n");
  ExpectSameOf(R"(
  %count = trunc i64 %b to i8
  %x = call i64 asm "shlq $2, $0", "=r,0,J{cx},~{flags}"(i64 %a, i8 %count)
  %result = call i64 asm "addq $2, $0", "=r,0,N,~{flags}"(i64 %x, i8 -1)
)");
  // Too large for an immediate: in a register.
  ExpectSameOf(
      "  %result = call i64 asm \"addq $2, $0\", \"=r,0,er,~{flags}\"(i64 %a, i64 "
      "81985529216486895)\n");
  ExpectSameOf(
      "  %result = call i64 asm \"subq $$${2:n}, $0\", \"=r,0,i,~{flags}\"(i64 %a, i64 55)\n");
}

TEST(InlineAssemblyTest, Vectors) {
  ExpectSameOf(R"(
  %x = sitofp i64 %a to double
  %y = sitofp i64 %b to double
  %z = call double asm "addsd $2, $0; mulsd $2, $0", "=x,0,x"(double %x, double %y)
  %result = bitcast double %z to i64
)");
  ExpectSameOf(R"(
  %x = insertelement <2 x i64> zeroinitializer, i64 %a, i32 0
  %y = insertelement <2 x i64> %x, i64 %b, i32 1
  %z = call <2 x i64> asm "pshufd $$0x1b, $1, $0; pxor %xmm3, %xmm3; pxor %xmm12, %xmm12",
       "=x,x,~{xmm3},~{xmm12}"(<2 x i64> %y)
  %v = extractelement <2 x i64> %z, i32 0
  %w = extractelement <2 x i64> %z, i32 1
  %result = sub i64 %v, %w
)");
}

TEST(InlineAssemblyTest, LoopsAndCalls) {
  // The address of a function in a register; labels that are unique in the object.
  ExpectSame(absl::StrCat(R"(
define internal i64 @callee(i64 %x) {
  %y = mul i64 %x, 3
  ret i64 %y
}
)",
                          FunctionOf(R"(
  %result = call i64 asm sideeffect "movq %rsp, %rbx; subq $$128, %rsp; andq $$-16, %rsp; call *$2; movq %rbx, %rsp",
      "={ax},{di},r,~{rbx},~{rcx},~{rdx},~{rsi},~{rdi},~{r8},~{r9},~{r10},~{r11},~{memory},~{flags}"(
      i64 %a, ptr @callee)
)")));
  ExpectSameOf(R"(
  %n = and i64 %b, 15
  %p = call { i64, i64 } asm ".Lmore${:uid}: addq $1, $0; decq $1; jns .Lmore${:uid}",
      "=r,=r,0,1,~{flags}"(i64 %a, i64 %n)
  %result = extractvalue { i64, i64 } %p, 0
)");
}

TEST(InlineAssemblyTest, WhatIsNotCovered) {
  for (const char* call : {
           "i64 asm \"addq $1, $0\", \"=r,r|m\"(i64 %a)",
           "i64 asm \"movq $1, $0\", \"=r,m\"(i64 %a)",
           "i64 asm \"nop\", \"={@ccz}\"()",
           "i64 asm \"movq %rsp, $0\", \"=r,~{rsp}\"()",
           "i64 asm \"movq %rbp, $0\", \"=r,~{rbp}\"()",
           "i64 asm \"movq somewhere@GOTPCREL(%rip), $0\", \"=r\"()",
           "i64 asm \"place: movq $1, $0\", \"=r,r\"(i64 %a)",
           "i64 asm inteldialect \"mov $0, $1\", \"=r,r\"(i64 %a)",
           "i64 asm alignstack \"movq $1, $0\", \"=r,r\"(i64 %a)",
           "i64 asm \"movq $1, ${0:z}\", \"=r,r\"(i64 %a)",
           "i64 asm \"movq $1, $0\", \"=r,s\"(ptr @refused)",
       }) {
    ExpectNotCovered(call);
  }
}

#endif

#ifdef __aarch64__

TEST(InlineAssemblyTest, OperandsInRegisters) {
  ExpectSameOf("  %result = call i64 asm \"add $0, $1, $2, lsl #2\", \"=r,r,r\"(i64 %a, i64 %b)\n");
  ExpectSameOf(R"(
  %x = trunc i64 %a to i32
  %y = call i32 asm "ror ${0:w}, ${1:w}, $2", "=r,r,i"(i32 %x, i32 5)
  %result = zext i32 %y to i64
)");
  std::string sums = "mov $0, xzr";
  for (int i = 1; i < 20; ++i) absl::StrAppend(&sums, "; add $0, $", i, ", $0, ror #3");
  ExpectSameOf(absl::StrCat("  %x = xor i64 %a, %b\n  %result = call i64 asm \"",
                            absl::StrReplaceAll(sums, {{", ror #3", ", lsl #1"}}), R"(",
      "=&r,r,r,r,r,r,r,r,r,r,r,r,r,r,r,r,r,r,r,r,~{cc}"(i64 %a, i64 %b, i64 %x, i64 %a, i64 %b,
      i64 %x, i64 %a, i64 %b, i64 %x, i64 %b, i64 %a, i64 %x, i64 %a, i64 %b, i64 %x, i64 %a,
      i64 %b, i64 %x, i64 %a)
)"));
}

TEST(InlineAssemblyTest, NamedRegisters) {
  ExpectSameOf(R"(
  %p = call { i64, i64 } asm "mul x3, x0, $3; umulh $1, x0, $3; mov $0, x3",
      "={x0},={x1},{x0},r,~{x3}"(i64 %a, i64 %b)
  %low = extractvalue { i64, i64 } %p, 0
  %high = extractvalue { i64, i64 } %p, 1
  %result = xor i64 %low, %high
)");
  ExpectSameOf(R"(
  %d = call i64 asm sideeffect "mov $0, $1; mov x20, xzr; mov x28, xzr; mov x30, xzr; movi v9.2d, #0",
       "={x22},{x8},~{x20},~{x28},~{lr},~{v9},~{cc}"(i64 %b)
  %result = add i64 %a, %d
)");
}

TEST(InlineAssemblyTest, Memory) {
  ExpectSameOf(R"(
  %p = alloca [4 x i64]
  %q = getelementptr i64, ptr %p, i64 2
  store i64 %b, ptr %q
  %old = call i64 asm sideeffect "1: ldxr $0, $2; add x3, $0, $3; stxr w4, x3, $1; cbnz w4, 1b",
      "=&r,=*Q,*Q,r,~{memory},~{x3},~{x4}"(ptr elementtype(i64) %q, ptr elementtype(i64) %q,
      i64 %a)
  %new = load i64, ptr %q
  %result = xor i64 %new, %old
)");
}

TEST(InlineAssemblyTest, Vectors) {
  ExpectSameOf(R"(
  %x = sitofp i64 %a to double
  %y = sitofp i64 %b to double
  %z = call double asm "fadd ${0:d}, ${1:d}, ${2:d}", "=w,w,w"(double %x, double %y)
  %result = bitcast double %z to i64
)");
  ExpectSameOf(R"(
  %x = insertelement <2 x i64> zeroinitializer, i64 %a, i32 0
  %y = insertelement <2 x i64> %x, i64 %b, i32 1
  %z = call <2 x i64> asm "ext $0.16b, $1.16b, $1.16b, #8", "=x,x"(<2 x i64> %y)
  %v = extractelement <2 x i64> %z, i32 0
  %w = extractelement <2 x i64> %z, i32 1
  %result = sub i64 %v, %w
)");
}

TEST(InlineAssemblyTest, WhatIsNotCovered) {
  for (const char* call : {
           "i64 asm \"mov $0, sp\", \"=r,~{sp}\"()",
           "i64 asm \"mov $0, x29\", \"=r,~{x29}\"()",
           "i64 asm \"adrp $0, somewhere\", \"=r\"()",
           "i64 asm \"place: mov $0, $1\", \"=r,r\"(i64 %a)",
           "i64 asm \"mov $0, $1\", \"=r,S\"(ptr @refused)",
           "i64 asm \"mov ${0:q}, $1\", \"=r,r\"(i64 %a)",
       }) {
    ExpectNotCovered(call);
  }
}

#endif

}  // namespace
}  // namespace firstcall

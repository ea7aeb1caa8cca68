// Floating-point numbers of 80 bits (x86_fp80), which only x86-64 has. The baseline code generator
// and LLVM must compute the same.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backend/baseline/baseline_compiler.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "object/compiled_code.h"
#include "tests/backend/baseline/compile_llvm.h"
#include "tests/backend/baseline/expect_same.h"
#include "third_party/llvm/version/triple.h"

namespace firstcall {
namespace {

using baseline::Refusal;

class LongDoubleTest : public testing::Test {
 protected:
  void SetUp() override {
#ifndef __x86_64__
    GTEST_SKIP() << "only x86-64 has x86_fp80";
#endif
  }
};

// `body` in a function `f` of two integers %i and %j, two numbers %a and %b that are made of these,
// and a result %r, whose bits are the result of `f`.
std::string Program(const std::string& body, const std::string& before = "") {
  return absl::StrCat(before, R"(
define i64 @f(i64 %i, i64 %j) {
  %a = sitofp i64 %i to x86_fp80
  %c = sitofp i64 %j to x86_fp80
  %b = fdiv x86_fp80 %c, 0xK4000C000000000000000
)",
                      body, R"(
  %bits = bitcast x86_fp80 %r to i80
  %low = trunc i80 %bits to i64
  %shifted = lshr i80 %bits, 64
  %high = trunc i80 %shifted to i64
  %x = mul i64 %high, 1000003
  %y = xor i64 %x, %low
  ret i64 %y
}
)");
}

TEST_F(LongDoubleTest, Computes) {
  for (const char* operation : {"fadd", "fsub", "fmul", "fdiv", "frem"}) {
    ExpectSame(Program(absl::StrCat("  %r = ", operation, " x86_fp80 %a, %b")));
    ExpectSame(Program(absl::StrCat("  %r = ", operation, " x86_fp80 %b, %b")));
    ExpectSame(
        Program(absl::StrCat("  %r = ", operation, " x86_fp80 0xK3FFF8000000000000001, %b")));
    ExpectSame(
        Program(absl::StrCat("  %r = ", operation, " x86_fp80 %b, 0xKC000C90FDAA22168C235")));
  }
  ExpectSame(Program("  %r = fneg x86_fp80 %b"));
}

TEST_F(LongDoubleTest, ComparesInEveryWay) {
  for (const char* predicate : {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno",
                                "ueq", "ugt", "uge", "ult", "ule", "une", "true"}) {
    // Zero divided by zero is no number.
    for (const char* made : {"fadd x86_fp80 %a, 0xK00000000000000000000", "fdiv x86_fp80 %a, %a"}) {
      const std::string begin =
          absl::StrCat("  %n = ", made, "\n  %is = fcmp ", predicate, " x86_fp80 %n, %b\n");
      ExpectSame(Program(begin + "  %r = select i1 %is, x86_fp80 %a, x86_fp80 %b"));
      ExpectSame(Program(begin + R"(
  br i1 %is, label %yes, label %no
yes:
  br label %end
no:
  %m = fadd x86_fp80 %a, %a
  br label %end
end:
  %r = phi x86_fp80 [ %b, %yes ], [ %m, %no ])"));
    }
  }
}

TEST_F(LongDoubleTest, ConvertsFromAndToIntegers) {
  for (const char* type : {"i1", "i7", "i8", "i16", "i32", "i33", "i64"}) {
    for (const char* sign : {"si", "ui"}) {
      const std::string narrow = std::string(type) == "i64"
                                     ? "  %n = add i64 %i, 0\n"
                                     : absl::StrCat("  %n = trunc i64 %i to ", type, "\n");
      ExpectSame(Program(absl::StrCat(narrow, "  %m = ", sign, "tofp ", type,
                                      " %n to x86_fp80\n  %r = fadd x86_fp80 %m, %b")));
      // Only numbers that fit.
      ExpectSame(Program(absl::StrCat(narrow, "  %m = ", sign, "tofp ", type,
                                      " %n to x86_fp80\n  %k = fpto", sign, " x86_fp80 %m to ",
                                      type, "\n  %r = ", sign, "tofp ", type, " %k to x86_fp80")));
    }
  }
  // Fractions, truncated.
  ExpectSame(Program("  %k = fptosi x86_fp80 %b to i64\n  %r = sitofp i64 %k to x86_fp80"));
  for (const char* sign : {"si", "ui"}) {
    ExpectSame(Program(absl::StrCat(R"(
  %u = zext i64 %i to i128
  %v = shl i128 %u, 33
  %m = )",
                                    sign, R"(tofp i128 %v to x86_fp80
  %k = fpto)",
                                    sign, R"( x86_fp80 %m to i128
  %l = )",
                                    sign, R"(tofp i128 %k to x86_fp80
  %r = fadd x86_fp80 %l, %m)")));
  }
}

TEST_F(LongDoubleTest, ConvertsFromAndToOtherNumbers) {
  for (const char* type : {"float", "double"}) {
    ExpectSame(Program(absl::StrCat("  %n = fptrunc x86_fp80 %b to ", type, "\n  %r = fpext ", type,
                                    " %n to x86_fp80")));
  }
}

TEST_F(LongDoubleTest, IsPassedAndReturned) {
  const std::string callee = R"(
define x86_fp80 @g(x86_fp80 %a, i64 %i, double %d, x86_fp80 %b, i64 %j, i64 %k, i64 %l, i64 %m,
                   i64 %n, x86_fp80 %c) {
  %s = fsub x86_fp80 %a, %b
  %t = fmul x86_fp80 %s, %c
  %u = sitofp i64 %n to x86_fp80
  %v = fadd x86_fp80 %t, %u
  ret x86_fp80 %v
}
define x86_fp80 @h(x86_fp80 %a) { ret x86_fp80 %a }
)";
  ExpectSame(Program(R"(
  %g = call x86_fp80 @g(x86_fp80 %a, i64 1, double 2.0, x86_fp80 %b, i64 3, i64 4, i64 5, i64 6,
                        i64 %j, x86_fp80 0xK3FFF8000000000000001)
  %unused = call x86_fp80 @h(x86_fp80 %a)
  %h = call x86_fp80 @h(x86_fp80 %g)
  %r = fadd x86_fp80 %h, %a
)",
                     callee));
  // Where the stack pointer moves.
  ExpectSame(Program(R"(
  %size = and i64 %i, 255
  %place = alloca i8, i64 %size
  %h = call x86_fp80 @h(x86_fp80 %b)
  %m = frem x86_fp80 %h, %a
  store i8 1, ptr %place
  %r = fadd x86_fp80 %m, %a
)",
                     callee));
}

// The C library is compiled by another compiler.
TEST_F(LongDoubleTest, IsPassedToTheCLibrary) {
  ExpectSame(Program(R"(
  %p = call x86_fp80 @llvm.fabs.f80(x86_fp80 %b)
  %s = call x86_fp80 @sqrtl(x86_fp80 %p)
  %r = call x86_fp80 @fmodl(x86_fp80 %s, x86_fp80 %a)
)",
                     "declare x86_fp80 @llvm.fabs.f80(x86_fp80)\n"
                     "declare x86_fp80 @sqrtl(x86_fp80)\n"
                     "declare x86_fp80 @fmodl(x86_fp80, x86_fp80)\n"));
}

TEST_F(LongDoubleTest, IsAnOptionalArgument) {
  ExpectSame(Program(R"(
  %text = alloca [64 x i8]
  %count = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %text, i64 64, ptr @format, i64 7, x86_fp80 %b,
                                                   double 1.5)
  %x0 = load i64, ptr %text
  %x1p = getelementptr i8, ptr %text, i64 8
  %x1 = load i64, ptr %x1p
  %x2 = xor i64 %x0, %x1
  %r = sitofp i64 %x2 to x86_fp80
)",
                     "declare i32 @snprintf(ptr, i64, ptr, ...)\n"
                     "@format = constant [21 x i8] c\"%ld %.21Lg %f 123456\\00\"\n"));
}

TEST_F(LongDoubleTest, LiesInMemory) {
  ExpectSame(Program(R"(
  %place = alloca { i8, x86_fp80, [2 x x86_fp80] }
  %p1 = getelementptr { i8, x86_fp80, [2 x x86_fp80] }, ptr %place, i64 0, i32 1
  %p2 = getelementptr { i8, x86_fp80, [2 x x86_fp80] }, ptr %place, i64 0, i32 2, i64 1
  store x86_fp80 %a, ptr %p1
  store x86_fp80 %b, ptr %p2
  %whole = load { i8, x86_fp80, [2 x x86_fp80] }, ptr %place
  %v = extractvalue { i8, x86_fp80, [2 x x86_fp80] } %whole, 1
  %w = extractvalue { i8, x86_fp80, [2 x x86_fp80] } %whole, 2, 1
  %g = load x86_fp80, ptr @g
  %s = fsub x86_fp80 %v, %w
  %r = fmul x86_fp80 %s, %g
)",
                     "@g = global x86_fp80 0xK4000C90FDAA22168C235\n"));
}

TEST_F(LongDoubleTest, HasIntrinsics) {
  for (const char* name :
       {"fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round"}) {
    ExpectSame(Program(absl::StrCat("  %r = call x86_fp80 @llvm.", name, ".f80(x86_fp80 %b)"),
                       absl::StrCat("declare x86_fp80 @llvm.", name, ".f80(x86_fp80)\n")));
  }
  for (const char* name : {"copysign", "minnum", "maxnum"}) {
    ExpectSame(
        Program(absl::StrCat("  %r = call x86_fp80 @llvm.", name, ".f80(x86_fp80 %b, x86_fp80 %a)"),
                absl::StrCat("declare x86_fp80 @llvm.", name, ".f80(x86_fp80, x86_fp80)\n")));
  }
  for (const char* name : {"fma", "fmuladd"}) {
    ExpectSame(Program(
        absl::StrCat("  %r = call x86_fp80 @llvm.", name,
                     ".f80(x86_fp80 %b, x86_fp80 %a, x86_fp80 %c)"),
        absl::StrCat("declare x86_fp80 @llvm.", name, ".f80(x86_fp80, x86_fp80, x86_fp80)\n")));
  }
}

// AArch64 has no such numbers.
TEST(LongDoubleOfOthersTest, IsRefusedForOtherProcessors) {
  for (const char* text :
       {"define x86_fp80 @f(ptr %p) { %x = load x86_fp80, ptr %p ret x86_fp80 %x }",
        "define void @f(ptr %p) { %x = load x86_fp80, ptr %p store x86_fp80 %x, ptr %p ret void }",
        "define i1 @f(double %d) { %x = fpext double %d to x86_fp80 %r = fcmp oeq x86_fp80 %x, %x "
        "ret i1 %r }"}) {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = Parse(text, context);
    llvm_version::SetTriple(*module, "aarch64-linux-gnu");
    auto compiler = baseline::BaselineCompiler::Create("aarch64-linux-gnu", {});
    ASSERT_TRUE(compiler.ok());
    CompiledCode code;
    EXPECT_NE(baseline::CompileLlvm(**compiler, *module->getFunction("f"), code), Refusal::kNone)
        << text;
  }
}

}  // namespace
}  // namespace firstcall

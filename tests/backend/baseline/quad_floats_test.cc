// Floating-point numbers of 128 bits (fp128). The baseline code generator and LLVM must compute the
// same.

#include "backend/baseline/quad_floats.h"

#include <memory>
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

namespace firstcall {
namespace {

using baseline::Refusal;

// `body` in a function `f` of two integers %i and %j, two numbers %a and %b that are made of these,
// and a result %r, whose bits are the result of `f`.
std::string Program(const std::string& body, const std::string& before = "") {
  return absl::StrCat(before, R"(
define i64 @f(i64 %i, i64 %j) {
  %a = sitofp i64 %i to fp128
  %c = sitofp i64 %j to fp128
  %b = fdiv fp128 %c, 0xL00000000000000004000800000000000
)",
                      body, R"(
  %bits = bitcast fp128 %r to i128
  %low = trunc i128 %bits to i64
  %shifted = lshr i128 %bits, 64
  %high = trunc i128 %shifted to i64
  %x = mul i64 %high, 1000003
  %y = xor i64 %x, %low
  ret i64 %y
}
)");
}

TEST(QuadFloatsTest, Compute) {
  for (const char* operation : {"fadd", "fsub", "fmul", "fdiv", "frem"}) {
    ExpectSame(Program(absl::StrCat("  %r = ", operation, " fp128 %a, %b")));
    ExpectSame(Program(absl::StrCat("  %r = ", operation, " fp128 %b, %b")));
    ExpectSame(Program(
        absl::StrCat("  %r = ", operation, " fp128 0xL00000000000000013FFF000000000000, %b")));
    ExpectSame(Program(
        absl::StrCat("  %s = ", operation, " fp128 %a, %b\n  %r = ", operation, " fp128 %s, %a")));
  }
  ExpectSame(Program("  %r = fneg fp128 %b"));
}

TEST(QuadFloatsTest, AreComparedInEveryWay) {
  for (const char* predicate : {"false", "oeq", "ogt", "oge", "olt", "ole", "ord", "uno", "ugt",
                                "uge", "ult", "ule", "une", "true"}) {
    // Zero divided by zero is no number.
    for (const char* made :
         {"fadd fp128 %a, 0xL00000000000000000000000000000000", "fdiv fp128 %a, %a"}) {
      const std::string begin =
          absl::StrCat("  %n = ", made, "\n  %is = fcmp ", predicate, " fp128 %n, %b\n");
      ExpectSame(Program(begin + "  %r = select i1 %is, fp128 %a, fp128 %b"));
      ExpectSame(Program(begin + R"(
  br i1 %is, label %yes, label %no
yes:
  br label %end
no:
  %m = fadd fp128 %a, %a
  br label %end
end:
  %r = phi fp128 [ %b, %yes ], [ %m, %no ])"));
    }
  }
}

TEST(QuadFloatsTest, AreConvertedFromAndToIntegers) {
  for (const char* sign : {"si", "ui"}) {
    for (const char* type : {"i32", "i64", "i128"}) {
      const std::string wide = std::string(type) == "i32"   ? "trunc i64 %i to i32"
                               : std::string(type) == "i64" ? "add i64 %i, 0"
                                                            : "sext i64 %i to i128";
      ExpectSame(Program(absl::StrCat("  %n = ", wide, "\n  %m = ", sign, "tofp ", type,
                                      " %n to fp128\n  %r = fadd fp128 %m, %b")));
    }
    // Only numbers that fit.
    for (const char* type : {"i8", "i16", "i32", "i40", "i64", "i128"}) {
      ExpectSame(Program(absl::StrCat(R"(
  %n = and i64 %i, 127
  %m = uitofp i64 %n to fp128
  %q = fdiv fp128 %m, 0xL00000000000000004000800000000000
  %k = fpto)",
                                      sign, " fp128 %q to ", type, R"(
  %l = and )",
                                      type, R"( %k, 127
  %o = )",
                                      std::string(type) == "i128" ? "trunc i128 %l to i64"
                                      : std::string(type) == "i64"
                                          ? "add i64 %l, 0"
                                          : absl::StrCat("zext ", type, " %l to i64"),
                                      "\n  %r = sitofp i64 %o to fp128")));
    }
  }
  ExpectSame(Program("  %k = fptosi fp128 %b to i64\n  %r = sitofp i64 %k to fp128"));
}

TEST(QuadFloatsTest, AreConvertedFromAndToOtherNumbers) {
  for (const char* type : {"float", "double"}) {
    ExpectSame(Program(absl::StrCat("  %n = fptrunc fp128 %b to ", type, "\n  %r = fpext ", type,
                                    " %n to fp128")));
  }
}

TEST(QuadFloatsTest, ChangeTheirSigns) {
  ExpectSame(Program("  %r = call fp128 @llvm.fabs.f128(fp128 %b)",
                     "declare fp128 @llvm.fabs.f128(fp128)"));
  ExpectSame(Program("  %r = call fp128 @llvm.copysign.f128(fp128 %a, fp128 %b)",
                     "declare fp128 @llvm.copysign.f128(fp128, fp128)"));
}

#ifdef __aarch64__
TEST(QuadFloatsTest, HaveFunctionsOfTheCLibrary) {
  for (const char* name : {"floor", "ceil", "trunc", "rint", "nearbyint", "round"}) {
    ExpectSame(Program(absl::StrCat("  %r = call fp128 @llvm.", name, ".f128(fp128 %b)"),
                       absl::StrCat("declare fp128 @llvm.", name, ".f128(fp128)")));
  }
}
#endif

TEST(QuadFloatsTest, ArePassedReturnedAndKept) {
  const std::string callee = R"(
@number = global fp128 0xL5555555555555555BFFD555555555555
define fp128 @g(fp128 %a, i64 %i, double %d, fp128 %b, i64 %j, fp128 %e, fp128 %f, fp128 %h,
                fp128 %k, fp128 %l, double %m, double %n, fp128 %c) {
  %s = fsub fp128 %a, %b
  %t = fmul fp128 %s, %c
  %u = fpext double %n to fp128
  %v = fadd fp128 %t, %u
  ret fp128 %v
}
define { fp128, fp128 } @pair(fp128 %a, { fp128, fp128 } %b) {
  %x = extractvalue { fp128, fp128 } %b, 1
  %y = insertvalue { fp128, fp128 } poison, fp128 %x, 0
  %z = insertvalue { fp128, fp128 } %y, fp128 %a, 1
  ret { fp128, fp128 } %z
}
)";
  ExpectSame(Program(R"(
  %p = alloca fp128
  store fp128 %a, ptr %p
  %g = call fp128 @g(fp128 %a, i64 1, double 2.0, fp128 %b, i64 3, fp128 %a, fp128 %a, fp128 %b,
                     fp128 %b, fp128 %a, double 5.0, double 6.0,
                     fp128 0xL00000000000000013FFF000000000000)
  %x0 = insertvalue { fp128, fp128 } poison, fp128 %g, 0
  %x1 = insertvalue { fp128, fp128 } %x0, fp128 %b, 1
  %z = call { fp128, fp128 } @pair(fp128 %a, { fp128, fp128 } %x1)
  %y0 = extractvalue { fp128, fp128 } %z, 0
  %y1 = extractvalue { fp128, fp128 } %z, 1
  %n = load fp128, ptr @number
  %k = load fp128, ptr %p
  %s = fsub fp128 %y0, %y1
  %t = fmul fp128 %s, %n
  %u = fadd fp128 %g, %k
  %r = fadd fp128 %u, %t
)",
                     callee));
}

// LLVM compiles @g, and the baseline code generator its caller and what @g calls.
TEST(QuadFloatsTest, ArePassedToAndFromWhatLlvmCompiles) {
  const std::string functions = R"(
define NUMBER @g(double %d, NUMBER %a, [2 x NUMBER] %b, { i32, NUMBER } %c, NUMBER %e, NUMBER %f,
                 [3 x NUMBER] %h, NUMBER %i, { NUMBER, double } %j, NUMBER %k) {
  call void asm sideeffect alignstack "nop", ""()
  %x = call { NUMBER, NUMBER } @h(NUMBER %k, { NUMBER, double } %j, NUMBER %i, [3 x NUMBER] %h,
                                  NUMBER %f, NUMBER %e, { i32, NUMBER } %c, [2 x NUMBER] %b,
                                  NUMBER %a, double %d)
  %y = extractvalue { NUMBER, NUMBER } %x, 0
  %z = extractvalue { NUMBER, NUMBER } %x, 1
  %r = fsub NUMBER %y, %z
  ret NUMBER %r
}
define { NUMBER, NUMBER } @h(NUMBER %k, { NUMBER, double } %j, NUMBER %i, [3 x NUMBER] %h, NUMBER %f,
                             NUMBER %e, { i32, NUMBER } %c, [2 x NUMBER] %b, NUMBER %a, double %d) {
  %j0 = extractvalue { NUMBER, double } %j, 0
  %h2 = extractvalue [3 x NUMBER] %h, 2
  %c1 = extractvalue { i32, NUMBER } %c, 1
  %b0 = extractvalue [2 x NUMBER] %b, 0
  %b1 = extractvalue [2 x NUMBER] %b, 1
  %x0 = fdiv NUMBER %k, %j0
  %x1 = fsub NUMBER %x0, %i
  %x2 = fadd NUMBER %x1, %h2
  %x3 = fsub NUMBER %x2, %f
  %y0 = fdiv NUMBER %e, %c1
  %y1 = fsub NUMBER %y0, %b0
  %y2 = fsub NUMBER %y1, %b1
  %y3 = fadd NUMBER %y2, %a
  %s = insertvalue { NUMBER, NUMBER } poison, NUMBER %x3, 0
  %t = insertvalue { NUMBER, NUMBER } %s, NUMBER %y3, 1
  ret { NUMBER, NUMBER } %t
}
)";
  const std::string body = R"(
  %b0 = insertvalue [2 x NUMBER] poison, NUMBER %b, 0
  %b1 = insertvalue [2 x NUMBER] %b0, NUMBER %a, 1
  %c1 = insertvalue { i32, NUMBER } { i32 1, NUMBER poison }, NUMBER %b, 1
  %h0 = insertvalue [3 x NUMBER] zeroinitializer, NUMBER %a, 2
  %j1 = insertvalue { NUMBER, double } zeroinitializer, NUMBER %b, 0
  %e = fadd NUMBER %a, %b
  %r = call NUMBER @g(double 1.0, NUMBER %a, [2 x NUMBER] %b1, { i32, NUMBER } %c1, NUMBER %e,
                      NUMBER %b, [3 x NUMBER] %h0, NUMBER %a, { NUMBER, double } %j1, NUMBER %e)
)";
  const auto of_quads = [](const std::string& text) {
    return absl::StrReplaceAll(text, {{"NUMBER", "fp128"}});
  };
  ExpectSame(Program(of_quads(body), of_quads(functions)));
}

TEST(QuadFloatsTest, AreInLoops) {
  ExpectSame(Program(R"(
  %n = and i64 %i, 15
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %s = phi fp128 [ %a, %0 ], [ %t, %loop ]
  %o = phi fp128 [ %b, %0 ], [ %s, %loop ]
  %m = sitofp i64 %k to fp128
  %d = fadd fp128 %s, %m
  %t = fsub fp128 %d, %o
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %r = fadd fp128 %t, %o)"));
}

Refusal RefusalOf(const std::string& text, const std::string& triple) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = Parse(text, context);
  if (module == nullptr) return Refusal::kNone;
  const auto compiler = baseline::BaselineCompiler::Create(triple, {}).value();
  CompiledCode code;
  return CompileLlvm(*compiler, *module->getFunction("f"), code);
}

TEST(QuadFloatsTest, AreRefusedWhereSeveralFunctionsOrOthersAreCalled) {
  for (const char* triple : {"x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu"}) {
    for (const char* predicate : {"one", "ueq"}) {
      EXPECT_EQ(RefusalOf(absl::StrCat("define i1 @f(fp128 %a, fp128 %b) { %r = fcmp ", predicate,
                                       " fp128 %a, %b  ret i1 %r }"),
                          triple),
                Refusal::kType);
    }
    EXPECT_EQ(
        RefusalOf("define fp128 @f(i8 %i) { %r = sitofp i8 %i to fp128  ret fp128 %r }", triple),
        Refusal::kType);
    EXPECT_EQ(RefusalOf("define half @f(fp128 %q) { %r = fptrunc fp128 %q to half  ret half %r }",
                        triple),
              Refusal::kType);
    EXPECT_EQ(RefusalOf("define { fp128, fp128, fp128 } @f() {\n"
                        "  ret { fp128, fp128, fp128 } zeroinitializer }",
                        triple),
              Refusal::kArgumentPassing);
  }
  EXPECT_EQ(RefusalOf("declare fp128 @llvm.floor.f128(fp128)\n"
                      "define fp128 @f(fp128 %a) {\n"
                      "  %r = call fp128 @llvm.floor.f128(fp128 %a)  ret fp128 %r }",
                      "x86_64-pc-linux-gnu"),
            Refusal::kType);
}

}  // namespace
}  // namespace firstcall

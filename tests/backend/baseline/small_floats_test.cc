// Half and bfloat. The baseline code generator and LLVM must compute the same.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/small_float_expansion.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "object/compiled_code.h"
#include "tests/backend/baseline/compile_llvm.h"
#include "tests/backend/baseline/expect_same.h"

#ifdef __x86_64__
// What LLVM calls to round a float to bfloat, where the compiler's library does not have the
// function yet. The result is in the lowest bits of the register.
extern "C" __attribute__((used, visibility("default"))) float __truncsfbf2(float number) {
  uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  bits = number != number ? (bits | 0x400000) >> 16 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  float result = 0;
  std::memcpy(&result, &bits, sizeof(bits));
  return result;
}
#endif

namespace firstcall {
namespace {

using baseline::Refusal;

constexpr const char* kPredicates[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                       "uno",   "ueq", "ugt", "uge", "ult", "ule", "une", "true"};

// `body` in a function `f` of two integers %i and %j, two numbers %a and %b whose bits are those of
// the integers' lowest bits, and a result %r.
std::string Program(const std::string& body, const std::string& before = "") {
  return absl::StrCat(before, R"(
define i64 @f(i64 %i, i64 %j) {
  %ai = trunc i64 %i to i16
  %bi = trunc i64 %j to i16
  %as = mul i16 %ai, 25717
  %a = bitcast i16 %as to NUMBER
  %bs = mul i16 %bi, 12347
  %b = bitcast i16 %bs to NUMBER
)",
                      body, R"(
  %bits = bitcast NUMBER %r to i16
  ; What is no number may have other bits.
  %above = and i16 %bits, 32767
  %is_none = icmp ugt i16 %above, INFINITY
  %kept = select i1 %is_none, i16 -1, i16 %bits
  %result = zext i16 %kept to i64
  ret i64 %result
}
)");
}

// For half, by a library and by instructions, and for bfloat.
void ExpectSameNumbers(const std::string& text) {
  const std::string half =
      absl::StrReplaceAll(text, {{"NUMBER", "half"}, {"INFINITY", "31744"}, {"SUFFIX", "f16"}});
#ifdef __x86_64__
  for (const char* features : {"+sse4.1,+popcnt", "+sse4.1,+popcnt,+f16c"}) {
    ExpectSame(half, features);
  }
#else
  ExpectSame(half);
#endif
}

void ExpectSameBfloat(const std::string& text) {
#ifdef __x86_64__
  ExpectSame(
      absl::StrReplaceAll(text, {{"NUMBER", "bfloat"}, {"INFINITY", "32640"}, {"SUFFIX", "bf16"}}),
      "+sse4.1,+popcnt");
#else
  (void)text;
#endif
}

void ExpectSameBoth(const std::string& text) {
  ExpectSameNumbers(text);
  ExpectSameBfloat(text);
}

TEST(SmallFloatsTest, Compute) {
  for (const char* operation : {"fadd", "fsub", "fmul", "fdiv", "frem"}) {
    ExpectSameBoth(Program(absl::StrCat("  %r = ", operation, " NUMBER %a, %b")));
    ExpectSameBoth(Program(absl::StrCat("  %r = ", operation, " NUMBER 1.5, %b")));
    ExpectSameBoth(Program(absl::StrCat("  %s = ", operation,
                                        " NUMBER %a, 0.25\n  %r = ", operation, " NUMBER %s, %a")));
  }
  ExpectSameBoth(Program("  %r = fneg NUMBER %a"));
}

TEST(SmallFloatsTest, CompareInEveryWay) {
  for (const char* predicate : kPredicates) {
    const std::string begin = absl::StrCat("  %is = fcmp ", predicate, " NUMBER %a, %b\n");
    ExpectSameBoth(Program(begin + "  %r = select i1 %is, NUMBER %a, NUMBER 3.0"));
    ExpectSameBoth(Program(begin + R"(
  br i1 %is, label %yes, label %no
yes:
  br label %end
no:
  %m = fadd NUMBER %a, %a
  br label %end
end:
  %r = phi NUMBER [ %b, %yes ], [ %m, %no ])"));
  }
}

TEST(SmallFloatsTest, AreConvertedFromAndToIntegers) {
  for (const char* type : {"i1", "i7", "i8", "i16", "i24", "i32", "i33", "i64"}) {
    for (const char* sign : {"si", "ui"}) {
      const std::string narrow = std::string(type) == "i64"
                                     ? "  %n = add i64 %i, 0\n"
                                     : absl::StrCat("  %n = trunc i64 %i to ", type, "\n");
      const std::string program =
          Program(absl::StrCat(narrow, "  %r = ", sign, "tofp ", type, " %n to NUMBER"));
      ExpectSameNumbers(program);
      if (std::string(type).size() < 3 || std::string(type) < "i3") ExpectSameBfloat(program);
    }
    // Only numbers that fit.
    ExpectSameBoth(Program(R"(
  %n = and i64 %i, 127
  %m = sitofp i64 %n to float
  %h = fptrunc float %m to NUMBER
  %q = fdiv NUMBER %h, 3.0
  %s = fptosi NUMBER %q to i32
  %t = fptoui NUMBER %q to i64
  %u = trunc i64 %t to i32
  %v = add i32 %s, %u
  %w = trunc i32 %v to i16
  %r = bitcast i16 %w to NUMBER)"));
  }
}

TEST(SmallFloatsTest, AreConvertedFromAndToOtherNumbers) {
  ExpectSameBoth(Program(R"(
  %f = fpext NUMBER %a to float
  %g = fmul float %f, 0x3FD5555560000000
  %r = fptrunc float %g to NUMBER)"));
  // All bits of a float.
  ExpectSameBoth(Program(R"(
  %n = trunc i64 %i to i32
  %m = mul i32 %n, 1327217885
  %f = bitcast i32 %m to float
  %r = fptrunc float %f to NUMBER)"));
  ExpectSameBoth(Program(R"(
  %d = fpext NUMBER %a to double
  %e = fdiv double %d, 3.0
  %f = fptrunc double %e to float
  %r = fptrunc float %f to NUMBER)"));
  ExpectSameNumbers(Program(R"(
  %d = fpext NUMBER %a to double
  %e = fdiv double %d, 3.0
  %r = fptrunc double %e to NUMBER)"));
  ExpectSameNumbers(Program(R"(
  %m = mul i64 %i, 5700357409661599241
  %e = bitcast i64 %m to double
  %r = fptrunc double %e to NUMBER)"));
}

TEST(SmallFloatsTest, HaveIntrinsics) {
  for (const char* name :
       {"sqrt", "fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "roundeven", "round"}) {
    ExpectSameBoth(Program(absl::StrCat("  %r = call NUMBER @llvm.", name, ".SUFFIX(NUMBER %a)"),
                           absl::StrCat("declare NUMBER @llvm.", name, ".SUFFIX(NUMBER)")));
  }
  // Not the sign of zero, which may be that of either operand.
  for (const char* name : {"copysign", "minnum", "maxnum", "pow"}) {
    ExpectSameBoth(
        Program(absl::StrCat("  %p = call NUMBER @llvm.", name,
                             ".SUFFIX(NUMBER %a, NUMBER %b)\n  %r = fadd NUMBER %p, 0.0"),
                absl::StrCat("declare NUMBER @llvm.", name, ".SUFFIX(NUMBER, NUMBER)")));
  }
}

TEST(SmallFloatsTest, ArePassedReturnedAndKept) {
  ExpectSameBoth(Program(R"(
  %p = alloca NUMBER
  %t = alloca [4 x NUMBER]
  store NUMBER %a, ptr %p
  %q = getelementptr [4 x NUMBER], ptr %t, i64 0, i64 3
  store NUMBER 2.5, ptr %q
  %g = call NUMBER @g(NUMBER %a, NUMBER %b, NUMBER 1.0, NUMBER %a, NUMBER %b, NUMBER %a, NUMBER %b,
                      NUMBER %a, NUMBER %b, i64 %i, NUMBER -0.5)
  %x = load NUMBER, ptr %p
  %y = load NUMBER, ptr %q
  %z = fadd NUMBER %x, %y
  %s = call { NUMBER, NUMBER } @h(NUMBER %z, NUMBER %g)
  %s0 = extractvalue { NUMBER, NUMBER } %s, 0
  %s1 = extractvalue { NUMBER, NUMBER } %s, 1
  %v = load NUMBER, ptr getelementptr ([3 x NUMBER], ptr @numbers, i64 0, i64 1)
  %w = fsub NUMBER %s0, %s1
  %r = fmul NUMBER %w, %v)",
                         R"(
@numbers = global [3 x NUMBER] [NUMBER 1.0, NUMBER -0.75, NUMBER 4.0]
define NUMBER @g(NUMBER %a, NUMBER %b, NUMBER %c, NUMBER %d, NUMBER %e, NUMBER %f, NUMBER %g,
                 NUMBER %h, NUMBER %i, i64 %j, NUMBER %k) {
  %x = fadd NUMBER %a, %i
  %y = fsub NUMBER %x, %k
  %z = fmul NUMBER %y, %c
  ret NUMBER %z
}
define { NUMBER, NUMBER } @h(NUMBER %a, NUMBER %b) {
  %x = insertvalue { NUMBER, NUMBER } poison, NUMBER %b, 0
  %y = insertvalue { NUMBER, NUMBER } %x, NUMBER %a, 1
  ret { NUMBER, NUMBER } %y
}
)"));
}

// A value is defined in a block that stands behind the block of its user.
TEST(SmallFloatsTest, MayBeUsedBeforeTheyAreWritten) {
  ExpectSameBoth(Program(R"(
  br label %define
use:
  %r = fadd NUMBER %m, %b
  br label %end
define:
  %m = fmul NUMBER %a, %b
  br label %use
end:)"));
}

// LLVM compiles @g, and the baseline code generator its caller and what @g calls.
TEST(SmallFloatsTest, ArePassedToAndFromWhatLlvmCompiles) {
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
  ExpectSameNumbers(Program(body, functions));
}

TEST(SmallFloatsTest, AreInLoops) {
  ExpectSameBoth(Program(R"(
  %n = and i64 %i, 15
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %s = phi NUMBER [ 0.0, %0 ], [ %t, %loop ]
  %o = phi NUMBER [ %b, %0 ], [ %s, %loop ]
  %m = sitofp i64 %k to float
  %h = fptrunc float %m to NUMBER
  %c = fadd NUMBER %s, %h
  %t = fsub NUMBER %c, %o
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %r = fadd NUMBER %t, %o)"));
}

std::string Lanes(const std::string& body, const std::string& before = "") {
  return Program(absl::StrCat(R"(
  %x0 = insertelement <4 x NUMBER> <NUMBER 1.0, NUMBER 2.0, NUMBER -3.0, NUMBER 0.5>, NUMBER %a, i32 1
  %x = insertelement <4 x NUMBER> %x0, NUMBER %b, i64 %i
  %y = shufflevector <4 x NUMBER> %x, <4 x NUMBER> %x0, <4 x i32> <i32 1, i32 3, i32 6, i32 0>
)",
                              body, R"(
  %z0 = extractelement <4 x NUMBER> %z, i32 1
  %z1 = extractelement <4 x NUMBER> %z, i64 %j
  %r = fadd NUMBER %z0, %z1)"),
                 before);
}

TEST(SmallFloatsTest, AreLanesOfVectors) {
  for (const char* operation : {"fadd", "fsub", "fmul", "fdiv"}) {
    ExpectSameNumbers(Lanes(absl::StrCat("  %z = ", operation, " <4 x NUMBER> %x, %y")));
  }
  ExpectSameNumbers(Lanes("  %z = fneg <4 x NUMBER> %x"));
  ExpectSameNumbers(Lanes(R"(
  %c = fcmp olt <4 x NUMBER> %x, %y
  %z = select <4 x i1> %c, <4 x NUMBER> %x, <4 x NUMBER> %y)"));
  ExpectSameNumbers(Lanes(R"(
  %e = fpext <4 x NUMBER> %x to <4 x double>
  %f = fmul <4 x double> %e, %e
  %z = fptrunc <4 x double> %f to <4 x NUMBER>)"));
  ExpectSameNumbers(Lanes(R"(
  %e = bitcast <4 x NUMBER> %x to <4 x i16>
  %f = and <4 x i16> %e, <i16 63, i16 63, i16 63, i16 63>
  %g = sitofp <4 x i16> %f to <4 x NUMBER>
  %h = fptosi <4 x NUMBER> %g to <4 x i16>
  %z = uitofp <4 x i16> %h to <4 x NUMBER>)"));
  ExpectSameNumbers(Lanes("  %z = call <4 x NUMBER> @llvm.fabs.v4SUFFIX(<4 x NUMBER> %x)",
                          "declare <4 x NUMBER> @llvm.fabs.v4SUFFIX(<4 x NUMBER>)"));
}

TEST(SmallFloatsTest, VectorsArePassedToAndFromWhatLlvmCompiles) {
  const std::string functions = R"(
define <4 x NUMBER> @g(<4 x NUMBER> %a, <8 x NUMBER> %b, double %c, <4 x NUMBER> %d, <4 x NUMBER> %e,
                       <8 x NUMBER> %f, <4 x NUMBER> %h, <8 x NUMBER> %i, <4 x NUMBER> %j,
                       <8 x NUMBER> %k) {
  call void asm sideeffect alignstack "nop", ""()
  %r = call <4 x NUMBER> @h(<8 x NUMBER> %k, <4 x NUMBER> %j, <8 x NUMBER> %i, <4 x NUMBER> %h,
                            <8 x NUMBER> %f, <4 x NUMBER> %e, <4 x NUMBER> %d, double %c,
                            <8 x NUMBER> %b, <4 x NUMBER> %a)
  ret <4 x NUMBER> %r
}
define <4 x NUMBER> @h(<8 x NUMBER> %k, <4 x NUMBER> %j, <8 x NUMBER> %i, <4 x NUMBER> %h,
                       <8 x NUMBER> %f, <4 x NUMBER> %e, <4 x NUMBER> %d, double %c,
                       <8 x NUMBER> %b, <4 x NUMBER> %a) {
  %x = shufflevector <8 x NUMBER> %k, <8 x NUMBER> %b, <4 x i32> <i32 7, i32 6, i32 15, i32 9>
  %y = shufflevector <4 x NUMBER> %j, <4 x NUMBER> %a, <4 x i32> <i32 3, i32 1, i32 5, i32 7>
  %z = fsub <4 x NUMBER> %x, %y
  ret <4 x NUMBER> %z
}
)";
  const std::string body = R"(
  %v0 = insertelement <4 x NUMBER> <NUMBER 1.0, NUMBER 2.0, NUMBER 3.0, NUMBER 4.0>, NUMBER %a, i32 3
  %v = insertelement <4 x NUMBER> %v0, NUMBER %b, i32 1
  %w = shufflevector <4 x NUMBER> %v, <4 x NUMBER> %v0, <8 x i32> <i32 7, i32 3, i32 1, i32 0, i32 5, i32 2, i32 1, i32 3>
  %z = call <4 x NUMBER> @g(<4 x NUMBER> %v, <8 x NUMBER> %w, double 1.0, <4 x NUMBER> %v0, <4 x NUMBER> %v,
                            <8 x NUMBER> %w, <4 x NUMBER> %v, <8 x NUMBER> %w, <4 x NUMBER> %v,
                            <8 x NUMBER> %w)
  %z0 = extractelement <4 x NUMBER> %z, i32 0
  %z1 = extractelement <4 x NUMBER> %z, i32 1
  %z2 = extractelement <4 x NUMBER> %z, i32 2
  %z3 = extractelement <4 x NUMBER> %z, i32 3
  %s0 = fadd NUMBER %z0, %z1
  %s1 = fsub NUMBER %z2, %z3
  %r = fsub NUMBER %s0, %s1
)";
  ExpectSameBoth(Program(body, functions));
}

Refusal RefusalOf(const std::string& text, const std::string& triple,
                  const std::vector<std::string>& features) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = Parse(text, context);
  if (module == nullptr) return Refusal::kNone;
  baseline::BaselineOptions options;
  options.features = features;
  const auto compiler = baseline::BaselineCompiler::Create(triple, options).value();
  CompiledCode code;
  return CompileLlvm(*compiler, *module->getFunction("f"), code);
}

TEST(SmallFloatsTest, RefuseWhatProcessorsRoundDifferently) {
  const std::string x86 = "x86_64-pc-linux-gnu", arm = "aarch64-unknown-linux-gnu";
  for (const std::string& triple : {x86, arm}) {
    EXPECT_EQ(
        RefusalOf("define bfloat @f(double %d) { %r = fptrunc double %d to bfloat  ret bfloat %r }",
                  triple, {}),
        Refusal::kType);
    EXPECT_EQ(RefusalOf("define bfloat @f(i32 %i) { %r = sitofp i32 %i to bfloat  ret bfloat %r }",
                        triple, {}),
              Refusal::kType);
    EXPECT_EQ(RefusalOf("declare half @llvm.fmuladd.f16(half, half, half)\n"
                        "define half @f(half %a) {\n"
                        "  %r = call half @llvm.fmuladd.f16(half %a, half %a, half %a)\n"
                        "  ret half %r\n}",
                        triple, {}),
              Refusal::kType);
    EXPECT_EQ(RefusalOf("declare half @llvm.fma.f16(half, half, half)\n"
                        "define half @f(half %a) {\n"
                        "  %r = call half @llvm.fma.f16(half %a, half %a, half %a)  ret half %r }",
                        triple, {}),
              Refusal::kType);
  }
  const std::string sum = "define bfloat @f(bfloat %a) { %r = fadd bfloat %a, %a  ret bfloat %r }";
  EXPECT_EQ(RefusalOf(sum, x86, {}), Refusal::kNone);
  EXPECT_EQ(RefusalOf(sum, arm, {}), Refusal::kNone);
  EXPECT_EQ(RefusalOf(sum, x86, {"avx512bf16"}), Refusal::kType);
  EXPECT_EQ(RefusalOf(sum, x86, {"avxneconvert"}), Refusal::kType);
  const std::string array = "define void @f([2 x bfloat] %a) { ret void }";
  EXPECT_EQ(RefusalOf(array, arm, {}), Refusal::kArgumentPassing);
  EXPECT_EQ(RefusalOf(array, x86, {}), Refusal::kNone);
}

}  // namespace
}  // namespace firstcall

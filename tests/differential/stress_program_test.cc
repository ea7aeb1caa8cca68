// Programs of stress functions, here written by hand, have a defined result.

#include "tests/differential/stress_program.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Function(const std::string& body) {
  return "define void @autogen_SD1(ptr %0, ptr %1, ptr %2, i32 %3, i64 %4, i8 %5) {\nBB:\n" + body +
         "\n  ret void\n}\n";
}

std::string Make(const std::vector<std::string>& functions) {
  llvm::LLVMContext context;
  const auto program = MakeStressProgram(functions, 1, context);
  EXPECT_THAT(program, IsOk());
  return program.ok() ? PrintModule(**program) : "";
}

// The only function's text in a program.
std::string Define(const std::string& body) {
  const std::string text = Make({Function(body)});
  return text.substr(text.find("define void @f0"));
}

TEST(StressProgramTest, FunctionsAreCalledByMainAndEachOther) {
  const std::string text = Make(std::vector<std::string>(8, Function("")));
  EXPECT_THAT(text, HasSubstr("define void @f0(ptr"));
  EXPECT_THAT(text, HasSubstr("define internal void @f1(ptr"));
  EXPECT_THAT(text, HasSubstr("define i32 @main()"));
  EXPECT_THAT(text, HasSubstr("call void @f7(ptr @buffers,"));
  EXPECT_THAT(text, ContainsRegex("call void @f[0-7]\\(ptr %[012],"));
  EXPECT_THAT(text, ContainsRegex("call void %[0-9]+\\(ptr %[012],"));
}

TEST(StressProgramTest, ShiftAmountsAreInRange) {
  EXPECT_THAT(Define("%B = shl i32 %3, %3"),
              ContainsRegex("and i32 %3, 31\n  %B = shl i32 %3, %[0-9]+\n"));
}

TEST(StressProgramTest, DivisorsAreOddAndPositive) {
  EXPECT_THAT(Define("%B = sdiv i32 %3, %3"),
              ContainsRegex("%[0-9]+ = and i32 %3, 2147483647\n  %[0-9]+ = or i32 %[0-9]+, 1\n"
                            "  %B = sdiv i32 %3, %[0-9]+\n"));
  EXPECT_THAT(Define("%B = urem i64 %4, %4"),
              ContainsRegex("or i64 %4, 1\n  %B = urem i64 %4, %[0-9]+\n"));
}

TEST(StressProgramTest, OneBitDivisionIsUnsigned) {
  EXPECT_THAT(Define("%L = load i1, ptr %0\n  %B = srem i1 %L, %L\n  store i1 %B, ptr %1"),
              AllOf(HasSubstr("urem i1"), Not(HasSubstr("srem"))));
}

TEST(StressProgramTest, BitsAreLoadedAsBytes) {
  EXPECT_THAT(Define("%L = load <4 x i1>, ptr %0\n  %S = sext <4 x i1> %L to <4 x i8>"),
              ContainsRegex("load i8, ptr %0, align 1\n  %[0-9]+ = trunc i8 %[0-9]+ to i4\n"
                            "  %[0-9]+ = bitcast i4 %[0-9]+ to <4 x i1>\n"));
}

TEST(StressProgramTest, AllocasAreLargeAndInitialized) {
  EXPECT_THAT(Define("%A = alloca i8\n  %L = load i64, ptr %A"),
              AllOf(HasSubstr("alloca [128 x i8], align 128"), HasSubstr("call void @llvm.memset"),
                    Not(HasSubstr("alloca i8"))));
}

TEST(StressProgramTest, IndicesAndMasksAreInRange) {
  EXPECT_THAT(Define("%E = extractelement <4 x i32> zeroinitializer, i32 %3"),
              HasSubstr("= urem i32 %3, 4\n"));
  EXPECT_THAT(Define("%I = insertelement <2 x i32> zeroinitializer, i32 %3, i32 %3"),
              HasSubstr("= urem i32 %3, 2\n"));
  EXPECT_THAT(Define("%S = shufflevector <2 x i8> zeroinitializer, <2 x i8> zeroinitializer, "
                     "<2 x i32> <i32 3, i32 poison>"),
              HasSubstr("<2 x i32> <i32 3, i32 0>"));
}

TEST(StressProgramTest, UndefinedOperandsBecomeZero) {
  EXPECT_THAT(Define("store i32 undef, ptr %0"), HasSubstr("store i32 0, ptr %0"));
}

TEST(StressProgramTest, ConvertedNumbersFitTheInteger) {
  const std::string text = Define("%L = load double, ptr %0\n  %C = fptosi double %L to i8");
  EXPECT_THAT(text, HasSubstr("fcmp ogt double %L, -1.280000e+02"));
  EXPECT_THAT(text, HasSubstr("fcmp olt double %L, 1.280000e+02"));
}

TEST(StressProgramTest, NaNsBecomeZero) {
  EXPECT_THAT(Define("%L = load float, ptr %0\n  %M = fmul float %L, %L\n  store float %M, ptr %0"),
              ContainsRegex("fcmp uno float %M, %M\n"
                            "  %[0-9]+ = select i1 %[0-9]+, float 0.000000e\\+00, float %M\n"
                            "  store float %[0-9]+, ptr %0"));
}

TEST(StressProgramTest, LoopsEnd) {
  EXPECT_THAT(Define("br label %CF\nCF:\n  %L = load i1, ptr %0\n"
                     "  br i1 %L, label %CF, label %End\nEnd:"),
              ContainsRegex("and i1 %[0-9]+, %[0-9]+\n  br i1 %[0-9]+, label %CF, label %End"));
}

TEST(StressProgramTest, RefusesOtherText) {
  llvm::LLVMContext context;
  for (const char* text : {"define void @f() { ret void }", "nonsense", "@x = global i32 0"}) {
    EXPECT_THAT(MakeStressProgram({text}, 1, context),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("parse stress function")));
  }
}

}  // namespace
}  // namespace firstcall::testing

// Intrinsics of floating-point numbers that the baseline code generator makes of several
// instructions, or that are functions of the C library: classes, those of vectors, functions.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/backend/baseline/expect_same.h"

namespace firstcall {
namespace {

TEST(FloatIntrinsicsTest, KnowsTheClassesOfNumbers) {
  // Of each class there is a number: the bits are those of %i, shifted into every place.
  const std::string text = R"(
declare i1 @llvm.is.fpclass.NAME(TYPE, i32)
define i64 @f(i64 %i, i64 %j) {
  %k = and i64 %j, 63
  %high = shl i64 %i, %k
  %low = lshr i64 %high, 3
  %m = xor i64 %high, %low
  %n = CAST i64 %m to INTEGER
  %x = bitcast INTEGER %n to TYPE
  %y = bitcast INTEGER SPECIAL to TYPE
  %a = call i1 @llvm.is.fpclass.NAME(TYPE %x, i32 CLASSES)
  %b = call i1 @llvm.is.fpclass.NAME(TYPE %y, i32 CLASSES)
  %c = zext i1 %a to i64
  %d = zext i1 %b to i64
  %e = shl i64 %d, 1
  %r = or i64 %c, %e
  ret i64 %r
}
)";
  for (const char* classes : {"0", "1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "3",
                              "504", "516", "264", "1023", "96", "144", "60"}) {
    for (const char* special :
         {"0", "-9223372036854775808", "9218868437227405312", "-4503599627370496",
          "9218868437227405313", "9221120237041090560", "4607182418800017408"}) {
      ExpectSame(absl::StrReplaceAll(text, {{"NAME", "f64"},
                                            {"TYPE", "double"},
                                            {"INTEGER", "i64"},
                                            {"CAST", "bitcast"},
                                            {"SPECIAL", special},
                                            {"CLASSES", classes}}));
    }
    for (const char* special : {"0", "-2147483648", "2139095040", "-8388608", "2139095041",
                                "2143289344", "8388607", "8388608"}) {
      ExpectSame(absl::StrReplaceAll(text, {{"NAME", "f32"},
                                            {"TYPE", "float"},
                                            {"INTEGER", "i32"},
                                            {"CAST", "trunc"},
                                            {"SPECIAL", special},
                                            {"CLASSES", classes}}));
    }
  }
}

// `call` makes %r, a vector of TYPE, of the vectors %a, %b and %c.
void ExpectSameVectors(const std::string& declaration, const std::string& call) {
  struct Shape {
    const char* name;
    const char* type;
    const char* element;
    const char* last;
    const char* integers;
  };
  for (const Shape& shape : {Shape{"v4f32", "<4 x float>", "float", "3", "<2 x i64>"},
                             Shape{"v8f32", "<8 x float>", "float", "7", "<4 x i64>"},
                             Shape{"v2f64", "<2 x double>", "double", "1", "<2 x i64>"},
                             Shape{"v4f64", "<4 x double>", "double", "3", "<4 x i64>"}}) {
    ExpectSame(absl::StrReplaceAll(declaration + R"(
define i64 @f(i64 %i, i64 %j) {
  %x = sitofp i64 %i to ELEMENT
  %y = sitofp i64 %j to ELEMENT
  %z = fdiv ELEMENT %x, 3.0
  %a0 = insertelement TYPE zeroinitializer, ELEMENT %x, i32 0
  %a = insertelement TYPE %a0, ELEMENT %z, i32 LAST
  %b0 = insertelement TYPE zeroinitializer, ELEMENT %y, i32 0
  %b = insertelement TYPE %b0, ELEMENT %x, i32 LAST
  %c = fsub TYPE %a, %b
)" + call + R"(
  %bits = bitcast TYPE %r to INTEGERS
  %p = extractelement INTEGERS %bits, i32 0
  %q = extractelement INTEGERS %bits, i32 1
  %s = mul i64 %q, 3
  %t = xor i64 %p, %s
  ret i64 %t
}
)",
                                   {{"NAME", shape.name},
                                    {"TYPE", shape.type},
                                    {"ELEMENT", shape.element},
                                    {"LAST", shape.last},
                                    {"INTEGERS", shape.integers}}),
               // On x86-64, functions that may fuse are left to LLVM.
               "-fma,-fma4");
  }
}

// As bits, but for NaNs.
TEST(FloatIntrinsicsTest, CallsTheLibrary) {
  const std::string text = R"(
declare TYPE @llvm.FUNCTION.NAME(TYPE)
define i64 @f(i64 %i, i64 %j) {
  %a = sitofp i64 %i to TYPE
  %b = fdiv TYPE %a, 1000.0
  %r = call TYPE @llvm.FUNCTION.NAME(TYPE %b)
  %is = fcmp ord TYPE %r, %r
  %bits = bitcast TYPE %r to INTEGER
  %kept = select i1 %is, INTEGER %bits, INTEGER 1
  %wide = WIDEN
  ret i64 %wide
}
)";
  for (const char* function : {"acos", "asin", "atan", "cosh", "sinh", "tanh", "tan"}) {
    ExpectSame(absl::StrReplaceAll(text, {{"FUNCTION", function},
                                          {"NAME", "f64"},
                                          {"TYPE", "double"},
                                          {"INTEGER", "i64"},
                                          {"WIDEN", "add i64 %kept, 0"}}));
    ExpectSame(absl::StrReplaceAll(text, {{"FUNCTION", function},
                                          {"NAME", "f32"},
                                          {"TYPE", "float"},
                                          {"INTEGER", "i32"},
                                          {"WIDEN", "zext i32 %kept to i64"}}));
  }
  ExpectSame(R"(
declare double @llvm.ldexp.f64.i32(double, i32)
define i64 @f(i64 %i, i64 %j) {
  %a = sitofp i64 %i to double
  %e = trunc i64 %j to i32
  %r = call double @llvm.ldexp.f64.i32(double %a, i32 %e)
  %bits = bitcast double %r to i64
  ret i64 %bits
}
)");
}

TEST(FloatIntrinsicsTest, ComputesWithVectors) {
  ExpectSameVectors("declare TYPE @llvm.fabs.NAME(TYPE)",
                    "  %r = call TYPE @llvm.fabs.NAME(TYPE %a)");
  ExpectSameVectors("declare TYPE @llvm.copysign.NAME(TYPE, TYPE)",
                    "  %r = call TYPE @llvm.copysign.NAME(TYPE %a, TYPE %b)");
  ExpectSameVectors("declare TYPE @llvm.fmuladd.NAME(TYPE, TYPE, TYPE)",
                    "  %r = call TYPE @llvm.fmuladd.NAME(TYPE %a, TYPE %b, TYPE %c)");
}

}  // namespace
}  // namespace firstcall

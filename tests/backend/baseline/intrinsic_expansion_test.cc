// Intrinsics that become instructions. The baseline code generator and LLVM must compute the same.

#include "backend/baseline/intrinsic_expansion.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/backend/baseline/expect_same.h"

namespace firstcall {
namespace {

// Numbers of all kinds: with the bits of the arguments, and small integers divided.
constexpr char kNumbers[] = R"(
define { NUM, NUM } @numbers(i64 %i, i64 %j) {
  %m = alloca i64
  store i64 %i, ptr %m
  %iw = load WORD, ptr %m
  %a = bitcast WORD %iw to NUM
  %b0 = sitofp i64 %j to NUM
  %b = fdiv NUM %b0, 4.0
  %c0 = sitofp i64 %i to NUM
  %odd = and i64 %j, 1
  %is = icmp eq i64 %odd, 0
  %x = select i1 %is, NUM %a, NUM %c0
  %zero = icmp eq i64 %j, 2
  %y0 = select i1 %zero, NUM -0.0, NUM %b
  %same = icmp eq i64 %j, 31
  %nan = icmp eq i64 %j, 64
  %y1 = select i1 %same, NUM %x, NUM %y0
  %y = select i1 %nan, NUM 0x7FF8000000000000, NUM %y1
  %r0 = insertvalue { NUM, NUM } undef, NUM %x, 0
  %r1 = insertvalue { NUM, NUM } %r0, NUM %y, 1
  ret { NUM, NUM } %r1
}
)";

// `body` computes %r, a NUM, of %x and %y. A NaN may have any bits.
void ExpectSameNumber(const std::string& body, const std::string& declarations) {
  for (bool is_double : {false, true}) {
    ExpectSame(absl::StrReplaceAll(absl::StrCat(kNumbers, declarations, R"(
define i64 @f(i64 %i, i64 %j) {
  %both = call { NUM, NUM } @numbers(i64 %i, i64 %j)
  %x = extractvalue { NUM, NUM } %both, 0
  %y = extractvalue { NUM, NUM } %both, 1
)",
                                                body, R"(
  %none = fcmp uno NUM %r, %r
  %m = alloca i64
  store i64 0, ptr %m
  store NUM %r, ptr %m
  %wide = load i64, ptr %m
  %h = select i1 %none, i64 1, i64 %wide
  ret i64 %h
}
)"),
                                   {{"NUM", is_double ? "double" : "float"},
                                    {"WORD", is_double ? "i64" : "i32"},
                                    {"KIND", is_double ? "f64" : "f32"}}));
  }
}

TEST(IntrinsicExpansionTest, ComputesMaximaAndMinima) {
  for (const char* name : {"maximum", "minimum"}) {
    ExpectSameNumber(absl::StrCat("  %r = call NUM @llvm.", name, ".KIND(NUM %x, NUM %y)"),
                     absl::StrCat("declare NUM @llvm.", name, ".KIND(NUM, NUM)"));
    ExpectSameNumber(
        absl::StrCat(R"(
  %v0 = insertelement <3 x NUM> zeroinitializer, NUM %x, i32 1
  %v = insertelement <3 x NUM> %v0, NUM %y, i32 2
  %w = shufflevector <3 x NUM> %v, <3 x NUM> poison, <3 x i32> <i32 2, i32 1, i32 0>
  %most = call <3 x NUM> @llvm.)",
                     name, R"(.v3KIND(<3 x NUM> %v, <3 x NUM> %w)
  %r = extractelement <3 x NUM> %most, i32 2)"),
        absl::StrCat("declare <3 x NUM> @llvm.", name, ".v3KIND(<3 x NUM>, <3 x NUM>)"));
  }
}

TEST(IntrinsicExpansionTest, ReducesByMaximaAndMinima) {
  for (const char* name : {"fmaximum", "fminimum", "fmax", "fmin"}) {
    for (int count : {1, 2, 3, 4, 8}) {
      // Not the sign of a zero by fmax, nor what is no number: LLVM reduces in another order.
      const bool is_exact = std::string(name).size() > 4;
      ExpectSameNumber(
          absl::StrReplaceAll(
              absl::StrCat(is_exact ? "  %y2 = fadd NUM %y, 0.0\n  %x2 = fadd NUM %x, 0.0" : R"(
  %xn = fcmp uno NUM %x, %x
  %yn = fcmp uno NUM %y, %y
  %x2 = select i1 %xn, NUM 3.5, NUM %x
  %y2 = select i1 %yn, NUM -3.5, NUM %y)",
                           R"(
  %v0 = insertelement <COUNT x NUM> splat (NUM 2.5), NUM %x2, i32 0
  %v = insertelement <COUNT x NUM> %v0, NUM %y2, i32 LAST
  %most = call NUM @llvm.vector.reduce.NAME.vCOUNTKIND(<COUNT x NUM> %v)
  %r = fadd NUM %most, 0.0)"),
              {{"COUNT", absl::StrCat(count)}, {"LAST", absl::StrCat(count - 1)}, {"NAME", name}}),
          absl::StrReplaceAll("declare NUM @llvm.vector.reduce.NAME.vCOUNTKIND(<COUNT x NUM>)",
                              {{"COUNT", absl::StrCat(count)}, {"NAME", name}}));
    }
  }
}

TEST(IntrinsicExpansionTest, ConvertsToIntegersWithinBounds) {
  for (const char* sign : {"s", "u"}) {
    for (int bits : {1, 8, 13, 16, 32, 47, 64}) {
      ExpectSameNumber(absl::StrReplaceAll(R"(
  %n = call iBITS @llvm.fptoSIGNi.sat.iBITS.KIND(NUM %x)
  %o = call iBITS @llvm.fptoSIGNi.sat.iBITS.KIND(NUM %y)
  %nw = sext iBITS %n to i128
  %mw = sext iBITS %o to i128
  %s = shl i128 %nw, 3
  %t = xor i128 %s, %mw
  %u = trunc i128 %t to WORD
  %e = and WORD %u, 8388607
  %r = bitcast WORD %e to NUM)",
                                           {{"BITS", absl::StrCat(bits)}, {"SIGN", sign}}),
                       absl::StrReplaceAll("declare iBITS @llvm.fptoSIGNi.sat.iBITS.KIND(NUM)",
                                           {{"BITS", absl::StrCat(bits)}, {"SIGN", sign}}));
    }
    // For AArch64, LLVM 19 never ends to compile a conversion of three floats to i16 at -O0.
    ExpectSameNumber(
        absl::StrReplaceAll(R"(
  %v0 = insertelement <4 x NUM> zeroinitializer, NUM %x, i32 1
  %v = insertelement <4 x NUM> %v0, NUM %y, i32 2
  %n = call <4 x i16> @llvm.fptoSIGNi.sat.v4i16.v4KIND(<4 x NUM> %v)
  %a = extractelement <4 x i16> %n, i32 1
  %b = extractelement <4 x i16> %n, i32 2
  %c = xor i16 %a, %b
  %d = zext i16 %c to WORD
  %r = bitcast WORD %d to NUM)",
                            {{"SIGN", sign}}),
        absl::StrReplaceAll("declare <4 x i16> @llvm.fptoSIGNi.sat.v4i16.v4KIND(<4 x NUM>)",
                            {{"SIGN", sign}}));
  }
}

TEST(IntrinsicExpansionTest, ConvertsSmallNumbersWithinBounds) {
  ExpectSame(R"(
declare i8 @llvm.fptosi.sat.i8.f16(half)
declare i16 @llvm.fptoui.sat.i16.f16(half)
define i64 @f(i64 %i, i64 %j) {
  %h = trunc i64 %i to i16
  %x = bitcast i16 %h to half
  %a = call i8 @llvm.fptosi.sat.i8.f16(half %x)
  %b = call i16 @llvm.fptoui.sat.i16.f16(half %x)
  %aw = sext i8 %a to i64
  %bw = zext i16 %b to i64
  %s = shl i64 %aw, 16
  %r = or i64 %s, %bw
  ret i64 %r
})");
}

TEST(IntrinsicExpansionTest, ReversesBits) {
  for (int bits : {1, 7, 8, 16, 24, 32, 51, 64}) {
    const std::string type = absl::StrCat("i", bits);
    ExpectSame(absl::StrReplaceAll(
        R"(
declare TYPE @llvm.bitreverse.TYPE(TYPE)
define i64 @f(i64 %i, i64 %j) {
  %m = mul i64 %i, 2654435761
  %s = xor i64 %m, %j
  %x = CAST TYPE
  %r = call TYPE @llvm.bitreverse.TYPE(TYPE %x)
  %w = BACK i64
  ret i64 %w
})",
        {{"CAST", bits == 64 ? "bitcast i64 %s to" : "trunc i64 %s to"},
         {"BACK", absl::StrCat(bits == 64 ? "bitcast " : "zext ", type, " %r to")},
         {"TYPE", type}}));
  }
  ExpectSame(R"(
declare <5 x i16> @llvm.bitreverse.v5i16(<5 x i16>)
define i64 @f(i64 %i, i64 %j) {
  %a = trunc i64 %i to i16
  %v0 = insertelement <5 x i16> splat (i16 77), i16 %a, i32 4
  %v = call <5 x i16> @llvm.bitreverse.v5i16(<5 x i16> %v0)
  %b = extractelement <5 x i16> %v, i32 4
  %c = extractelement <5 x i16> %v, i32 0
  %d = xor i16 %b, %c
  %r = zext i16 %d to i64
  ret i64 %r
})");
}

TEST(IntrinsicExpansionTest, TakesPartsOfVectors) {
  ExpectSame(R"(
declare <4 x i16> @llvm.vector.extract.v4i16.v8i16(<8 x i16>, i64)
declare <16 x i16> @llvm.vector.insert.v16i16.v8i16(<16 x i16>, <8 x i16>, i64)
declare <8 x i16> @llvm.vector.extract.v8i16.v16i16(<16 x i16>, i64)
define i64 @f(i64 %i, i64 %j) {
  %v0 = insertelement <2 x i64> poison, i64 %i, i32 0
  %v1 = insertelement <2 x i64> %v0, i64 %j, i32 1
  %v = bitcast <2 x i64> %v1 to <8 x i16>
  %a = call <4 x i16> @llvm.vector.extract.v4i16.v8i16(<8 x i16> %v, i64 4)
  %b = call <16 x i16> @llvm.vector.insert.v16i16.v8i16(<16 x i16> splat (i16 9), <8 x i16> %v, i64 8)
  %c = call <16 x i16> @llvm.vector.insert.v16i16.v8i16(<16 x i16> %b, <8 x i16> splat (i16 77), i64 0)
  %d = call <8 x i16> @llvm.vector.extract.v8i16.v16i16(<16 x i16> %c, i64 8)
  %w = bitcast <16 x i16> %c to <4 x i64>
  %e = bitcast <8 x i16> %d to <2 x i64>
  %x = extractelement <4 x i64> %w, i32 1
  %y = extractelement <4 x i64> %w, i32 3
  %z = extractelement <2 x i64> %e, i32 1
  %u = bitcast <4 x i16> %a to i64
  %s = mul i64 %x, 31
  %t = add i64 %s, %y
  %q = xor i64 %t, %z
  %r = sub i64 %q, %u
  ret i64 %r
})");
}

TEST(IntrinsicExpansionTest, TellsClassesOfSmallNumbersAndOfLanes) {
  for (const char* type : {"half", "bfloat"}) {
    for (int classes : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 3, 0x264}) {
      ExpectSame(absl::StrReplaceAll(R"(
declare i1 @llvm.is.fpclass.KIND(NUM, i32)
declare <3 x i1> @llvm.is.fpclass.v3KIND(<3 x NUM>, i32)
define i64 @f(i64 %i, i64 %j) {
  %h = trunc i64 %i to i16
  %x = bitcast i16 %h to NUM
  %g = trunc i64 %j to i16
  %y = bitcast i16 %g to NUM
  %a = call i1 @llvm.is.fpclass.KIND(NUM %x, i32 CLASSES)
  %v = insertelement <3 x NUM> zeroinitializer, NUM %y, i32 1
  %b = call <3 x i1> @llvm.is.fpclass.v3KIND(<3 x NUM> %v, i32 CLASSES)
  %c = bitcast <3 x i1> %b to i3
  %aw = zext i1 %a to i64
  %cw = zext i3 %c to i64
  %s = shl i64 %aw, 3
  %r = or i64 %s, %cw
  ret i64 %r
})",
                                     {{"NUM", type},
                                      {"KIND", std::string(type) == "half" ? "f16" : "bf16"},
                                      {"CLASSES", absl::StrCat(classes)}}));
    }
  }
}

}  // namespace
}  // namespace firstcall

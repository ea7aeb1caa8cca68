// Calls with `musttail`, which need no stack.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/backend/baseline/expect_same.h"

namespace firstcall {
namespace {

TEST(TailCallsTest, NeedNoStack) {
  for (const char* attributes : {"", "sspreq", "uwtable \"frame-pointer\"=\"all\""}) {
    ExpectSame(absl::StrReplaceAll(R"(
declare void @use(ptr)
define internal i64 @odd(i64 %n, i64 %sum) ATTRIBUTES {
  %place = alloca [4 x i64]
  store i64 %n, ptr %place
  %is_end = icmp eq i64 %n, 0
  br i1 %is_end, label %end, label %more
end:
  ret i64 %sum
more:
  %less = sub i64 %n, 1
  %m = load volatile i64, ptr %place
  %s = mul i64 %sum, 3
  %t = add i64 %s, %m
  %r = musttail call i64 @even(i64 %less, i64 %t)
  ret i64 %r
}
define internal i64 @even(i64 %n, i64 %sum) ATTRIBUTES {
  %bytes = add i64 %n, 16
  %buffer = alloca i8, i64 %bytes
  store i8 1, ptr %buffer
  %f = select i1 true, ptr @odd, ptr null
  %s = xor i64 %sum, %n
  %r = musttail call i64 %f(i64 %n, i64 %s)
  ret i64 %r
}
define i64 @f(i64 %i, i64 %j) {
  %low = and i64 %i, 2047
  %n = add i64 %low, 3000
  %r = call i64 @odd(i64 %n, i64 %j)
  ret i64 %r
}
)",
                                   {{"ATTRIBUTES", attributes}}));
  }
}

// A function of 24 parameters of a type, of which it passes each on as the next one, until the
// first one, a number, is 0.
void ExpectSameRotation(const std::string& type, const std::string& from_word,
                        const std::string& to_word, const std::string& attribute = "") {
  std::string parameters = "i64 %n", next = "i64 %less", first = "i64 %count", make, fold;
  constexpr int kCount = 24;
  for (int i = 0; i < kCount; ++i) {
    absl::StrAppend(&parameters, ", ", type, " ", attribute, " %a", i);
    absl::StrAppend(&next, ", ", type, " ", attribute, " %a", (i + 5) % kCount);
    absl::StrAppend(&first, ", ", type, " ", attribute, " %b", i);
    absl::StrAppend(&make, "  %w", i, " = mul i64 %j, ", 2 * i + 3, "\n",
                    absl::StrReplaceAll(
                        from_word, {{"%b", absl::StrCat("%b", i)}, {"%w", absl::StrCat("%w", i)}}));
    absl::StrAppend(&fold,
                    absl::StrReplaceAll(
                        to_word, {{"%a", absl::StrCat("%a", i)}, {"%v", absl::StrCat("%v", i)}}),
                    "  %m", i, " = mul i64 ", i == 0 ? "1" : absl::StrCat("%s", i - 1),
                    ", 31\n  %s", i, " = add i64 %m", i, ", %v", i, "\n");
  }
  ExpectSame(absl::StrCat("define internal i64 @turn(", parameters, R"() {
  %is_end = icmp eq i64 %n, 0
  br i1 %is_end, label %end, label %more
more:
  %less = sub i64 %n, 1
  %r = musttail call i64 @turn()",
                          next, R"()
  ret i64 %r
end:
)",
                          fold, "  ret i64 %s", kCount - 1, R"(
}
define i64 @f(i64 %i, i64 %j) {
  %count = and i64 %i, 31
)",
                          make, "  %r = call i64 @turn(", first, ")\n  ret i64 %r\n}\n"));
}

TEST(TailCallsTest, ArgumentsGoWhereTheFunctionsOwnWere) {
  ExpectSameRotation("i64", "  %b = add i64 %w, 1\n", "  %v = add i64 %a, 0\n");
  ExpectSameRotation("i8", "  %b = trunc i64 %w to i8\n", "  %v = zext i8 %a to i64\n", "zeroext");
  ExpectSameRotation("i16", "  %b = trunc i64 %w to i16\n", "  %v = sext i16 %a to i64\n",
                     "signext");
  ExpectSameRotation("double", "  %b = sitofp i64 %w to double\n",
                     "  %v = bitcast double %a to i64\n");
  ExpectSameRotation("<4 x i32>",
                     "  %b.x = insertelement <2 x i64> zeroinitializer, i64 %w, i32 1\n"
                     "  %b = bitcast <2 x i64> %b.x to <4 x i32>\n",
                     "  %v.x = bitcast <4 x i32> %a to <2 x i64>\n"
                     "  %v = extractelement <2 x i64> %v.x, i32 1\n");
  ExpectSameRotation("i128", "  %b.x = zext i64 %w to i128\n  %b = shl i128 %b.x, 40\n",
                     "  %v.x = lshr i128 %a, 60\n  %v = trunc i128 %v.x to i64\n");
}

TEST(TailCallsTest, FurtherArgumentsArePassedOn) {
  ExpectSame(R"(
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
declare i32 @vsnprintf(ptr, i64, ptr, ptr)
@format = private constant [35 x i8] c"%d %f %ld %f %d %f %d %f %d %f %ld\00"
define internal i32 @print(ptr %to, ptr %format, ...) {
  %list = alloca [4 x i64]
  call void @llvm.va_start.p0(ptr %list)
  %n = call i32 @vsnprintf(ptr %to, i64 256, ptr %format, ptr %list)
  call void @llvm.va_end.p0(ptr %list)
  ret i32 %n
}
@printer = internal global ptr @print
define internal i32 @thunk(ptr %to, ptr %format, ...) {
  %f = load ptr, ptr @printer
  %unused = call i64 @clobber(i64 1, i64 2, double 3.0, double 4.0)
  %behind = getelementptr i8, ptr %to, i64 1
  %r = musttail call i32 (ptr, ptr, ...) %f(ptr %behind, ptr %format, ...)
  ret i32 %r
}
define internal i64 @clobber(i64 %i, i64 %j, double %x, double %y) {
  %z = fadd double %x, %y
  %k = fptosi double %z to i64
  %s = add i64 %i, %k
  ret i64 %s
}
define i64 @f(i64 %i, i64 %j) {
  %to = alloca [300 x i8]
  %n = trunc i64 %i to i32
  %x = sitofp i64 %j to double
  %y = sitofp i64 %i to double
  %size = call i32 (ptr, ptr, ...) @thunk(ptr %to, ptr @format, i32 %n, double %x, i64 %j,
      double %y, i32 3, double 4.0, i32 5, double %x, i32 %n, double 9.5, i64 %i)
  br label %next
next:
  %k = phi i64 [ 1, %0 ], [ %more, %next ]
  %sum = phi i64 [ 0, %0 ], [ %plus, %next ]
  %p = getelementptr i8, ptr %to, i64 %k
  %c = load i8, ptr %p
  %w = zext i8 %c to i64
  %m = mul i64 %sum, 31
  %plus = add i64 %m, %w
  %more = add i64 %k, 1
  %is_end = icmp eq i8 %c, 0
  br i1 %is_end, label %end, label %next
end:
  %size64 = sext i32 %size to i64
  %r = add i64 %plus, %size64
  ret i64 %r
}
)");
}

TEST(TailCallsTest, AResultInMemoryIsPassedOn) {
  ExpectSame(R"(
%pair = type { i64, i64, i64 }
define internal void @make(ptr sret(%pair) %to, i64 %i, double %x) {
  %y = fptosi double %x to i64
  %p = getelementptr i64, ptr %to, i64 1
  store i64 %i, ptr %to
  store i64 %y, ptr %p
  ret void
}
define internal void @pass(ptr sret(%pair) %to, i64 %i, double %x) {
  %n = add i64 %i, 7
  %y = fadd double %x, 1.5
  musttail call void @make(ptr sret(%pair) %to, i64 %n, double %y)
  ret void
}
define i64 @f(i64 %i, i64 %j) {
  %to = alloca %pair
  %k = and i64 %j, 65535
  %x = sitofp i64 %k to double
  call void @pass(ptr sret(%pair) %to, i64 %i, double %x)
  %p = getelementptr i64, ptr %to, i64 1
  %a = load i64, ptr %to
  %b = load i64, ptr %p
  %m = mul i64 %a, 31
  %r = add i64 %m, %b
  ret i64 %r
}
)");
}

}  // namespace
}  // namespace firstcall

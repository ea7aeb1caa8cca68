// Constant expressions that code has to compute, because no relocation says them.

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/backend/baseline/expect_same.h"
#include "third_party/llvm/version/version.h"

namespace firstcall {
namespace {

// EXPRESSION is computed at compile time and, by the function's instructions, at run time.
TEST(ConstantExpressionsTest, AreWhatInstructionsCompute) {
  struct Expression {
    const char* type;
    const char* constant;
    const char* computed;  // Of %address, an i64.
  };
  for (const Expression& expression :
       {Expression{"i64", "xor (i64 ptrtoint (ptr @x to i64), i64 4)", "xor i64 %address, 4"},
        Expression{"i64", "mul (i64 ptrtoint (ptr @x to i64), i64 -4658895280553007687)",
                   "mul i64 %address, -4658895280553007687"},
        Expression{"i64", "add (i64 xor (i64 ptrtoint (ptr @x to i64), i64 -1), i64 7)",
                   "sub i64 6, %address"},
        Expression{"i64",
                   "sub (i64 xor (i64 ptrtoint (ptr getelementptr (i8, ptr @x, i64 8) to i64), i64 "
                   "-1), i64 3)",
                   "sub i64 -12, %address"},
        Expression{"i32", "ptrtoint (ptr @x to i32)", "trunc i64 %address to i32"},
        Expression{"i8", "ptrtoint (ptr @x to i8)", "trunc i64 %address to i8"},
        Expression{"i32", "xor (i32 ptrtoint (ptr @x to i32), i32 9)", "NARROW"},
        Expression{"i16", "trunc (i64 mul (i64 ptrtoint (ptr @x to i64), i64 3) to i16)",
                   "NARROW"}}) {
    // LLVM 22 has no products of constants.
    if (llvm_version::kMajor >= 22 && absl::StrContains(expression.constant, "mul (")) continue;
    const std::string type = expression.type;
    const std::string narrow = type == "i32" ? "  %n = trunc i64 %address to i32\n"
                                               "  %expected = xor i32 %n, 9\n"
                                             : "  %n = mul i64 %address, 3\n"
                                               "  %expected = trunc i64 %n to i16\n";
    const std::string computed = std::string(expression.computed) == "NARROW"
                                     ? narrow
                                     : absl::StrCat("  %expected = ", expression.computed, "\n");
    for (const char* use :
         {"  %a = add TYPE CONSTANT, %k\n  %b = add TYPE %expected, %k\n",
          "  %a = sub TYPE %k, CONSTANT\n  %b = sub TYPE %k, %expected\n",
          "  %a = and TYPE CONSTANT, 15\n  %b = and TYPE %expected, 15\n",
          "  %a = lshr TYPE CONSTANT, 3\n  %b = lshr TYPE %expected, 3\n",
          "  %a = udiv TYPE CONSTANT, 7\n  %b = udiv TYPE %expected, 7\n",
          "  %c = icmp ult TYPE CONSTANT, %k\n  %d = icmp ult TYPE %expected, %k\n"
          "  %a = select i1 %c, TYPE 3, TYPE 5\n  %b = select i1 %d, TYPE 3, TYPE 5\n",
          "  %c = icmp eq TYPE %expected, CONSTANT\n  %a = zext i1 %c to i128\n"
          "  %a1 = trunc i128 %a to TYPE\n  %b = add TYPE 1, 0\n"}) {
      std::string text = absl::StrReplaceAll(
          absl::StrCat("@x = global [16 x i8] zeroinitializer\n"
                       "define i64 @f(i64 %i, i64 %j) {\n"
                       "  %place = alloca ptr\n  store ptr @x, ptr %place\n"
                       "  %pointer = load volatile ptr, ptr %place\n"
                       "  %address = ptrtoint ptr %pointer to i64\n  %k = ",
                       type == "i64" ? "add i64 %i, 0" : absl::StrCat("trunc i64 %i to ", type),
                       "\n", computed, use, "  %same = icmp eq TYPE ",
                       std::string(use).find("%a1") == std::string::npos ? "%a" : "%a1",
                       ", %b\n  %r = zext i1 %same to i64\n  ret i64 %r\n}\n"),
          {{"TYPE", type}, {"CONSTANT", expression.constant}});
      ExpectSame(text);
    }
  }
}

}  // namespace
}  // namespace firstcall

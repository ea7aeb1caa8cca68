// Arithmetic of vectors that the baseline code generator computes lane by lane.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/backend/baseline/expect_same.h"

namespace firstcall {
namespace {

struct Shape {
  const char* name;
  const char* type;
  int lanes;
  int bits;
};
constexpr Shape kIntegers[] = {{"v16i8", "<16 x i8>", 16, 8}, {"v8i16", "<8 x i16>", 8, 16},
                               {"v4i32", "<4 x i32>", 4, 32}, {"v16i32", "<16 x i32>", 16, 32},
                               {"v2i64", "<2 x i64>", 2, 64}, {"v4i64", "<4 x i64>", 4, 64}};
constexpr Shape kFloats[] = {{"v2f32", "<2 x float>", 2, 32},  {"v4f32", "<4 x float>", 4, 32},
                             {"v8f32", "<8 x float>", 8, 32},  {"v16f32", "<16 x float>", 16, 32},
                             {"v2f64", "<2 x double>", 2, 64}, {"v4f64", "<4 x double>", 4, 64},
                             {"v8f64", "<8 x double>", 8, 64}};

// `declarations`, and a function with OPERATION, which makes %r of the vectors %a and %b: all lanes
// of %r are a part of what the function returns. MAKE makes the lane %l of %w, an i64; FOLD makes
// %v, an i64, of the lane %l.
void ExpectSameLanes(const Shape& shape, const std::string& declarations,
                     const std::string& operation, const std::string& result,
                     const std::string& make, const std::string& fold) {
  std::string text = absl::StrCat(declarations, "define i64 @f(i64 %i, i64 %j) {\n");
  for (const char* vector : {"a", "b"}) {
    const bool is_first = vector[0] == 'a';
    for (int lane = 0; lane < shape.lanes; ++lane) {
      const std::string number = absl::StrCat("%", vector, lane);
      absl::StrAppend(
          &text, "  ", number, ".m = mul i64 ", is_first ? "%i" : "%j", ", ", 2 * lane + 1, "\n  ",
          number, ".w = add i64 ", number, ".m, ", is_first ? lane : 3 * lane, "\n",
          absl::StrReplaceAll(make, {{"%w", absl::StrCat(number, ".w")}, {"%l", number + ".l"}}),
          "  ", number, ".v = insertelement ", shape.type, " ",
          lane == 0 ? "zeroinitializer" : absl::StrCat("%", vector, lane - 1, ".v"), ", ELEMENT ",
          number, ".l, i32 ", lane, "\n");
    }
    absl::StrAppend(&text, "  %", vector, " = freeze ", shape.type, " %", vector, shape.lanes - 1,
                    ".v\n");
  }
  absl::StrAppend(&text, operation);
  for (int lane = 0; lane < shape.lanes; ++lane) {
    const std::string number = absl::StrCat("%r", lane);
    absl::StrAppend(&text, "  ", number, ".l = extractelement ", result, " %r, i32 ", lane, "\n",
                    absl::StrReplaceAll(fold, {{"%l", number + ".l"}, {"%v", number + ".v"}}), "  ",
                    number, ".m = mul i64 ", lane == 0 ? "1" : absl::StrCat("%r", lane - 1, ".s"),
                    ", 31\n  ", number, ".s = add i64 ", number, ".m, ", number, ".v\n");
  }
  absl::StrAppend(&text, "  ret i64 %r", shape.lanes - 1, ".s\n}\n");
  std::string element = shape.type;
  element = element.substr(element.find('x') + 2);
  element.pop_back();
  ExpectSame(absl::StrReplaceAll(text, {{"ELEMENT", element}, {"TYPE", shape.type}}));
}

void ExpectSameIntegers(const Shape& shape, const std::string& declarations,
                        const std::string& operation) {
  if (shape.bits == 64) {
    return ExpectSameLanes(shape, declarations, operation, shape.type, "  %l = add i64 %w, 0\n",
                           "  %v = add i64 %l, 0\n");
  }
  ExpectSameLanes(shape, declarations, operation, shape.type, "  %l = trunc i64 %w to ELEMENT\n",
                  "  %v = zext ELEMENT %l to i64\n");
}

// Divisors are even and not 0, so that nothing overflows.
TEST(VectorArithmeticTest, DividesEachLane) {
  for (const Shape& shape : kIntegers) {
    for (const char* operation : {"udiv", "urem", "sdiv", "srem"}) {
      std::string fives = "<", ones = "<", twos = "<";
      for (int i = 0; i < shape.lanes; ++i) {
        const char* comma = i == 0 ? "" : ", ";
        absl::StrAppend(&fives, comma, "ELEMENT ", 5 + i);
        absl::StrAppend(&ones, comma, "ELEMENT 1");
        absl::StrAppend(&twos, comma, "ELEMENT 2");
      }
      ExpectSameIntegers(
          shape, "",
          absl::StrCat("  %even = shl TYPE %b, ", ones, ">\n  %divisor = or TYPE %even, ", twos,
                       ">\n  %q = ", operation, " TYPE %a, %divisor\n  %p = ", operation,
                       " TYPE %b, ", fives, ">\n  %r = xor TYPE %p, %q\n"));
    }
  }
}

TEST(VectorArithmeticTest, ShiftsTwoLanes) {
  for (const Shape& shape : kIntegers) {
    if (shape.bits == 64) continue;
    for (const char* operation : {"fshl", "fshr"}) {
      const std::string function = absl::StrCat("@llvm.", operation, ".", shape.name);
      ExpectSameIntegers(
          shape, absl::StrCat("declare TYPE ", function, "(TYPE, TYPE, TYPE)\n"),
          absl::StrCat("  %p = call TYPE ", function, "(TYPE %a, TYPE %b, TYPE %b)\n",
                       "  %r = call TYPE ", function, "(TYPE %p, TYPE %p, TYPE %a)\n"));
    }
  }
}

constexpr char kToDouble[] = "  %l.s = sitofp i64 %w to double\n  %l = fdiv double %l.s, 8.0\n";
constexpr char kFromDouble[] = "  %v = bitcast double %l to i64\n";
constexpr char kToFloat[] = "  %l.s = sitofp i64 %w to float\n  %l = fdiv float %l.s, 8.0\n";
constexpr char kFromFloat[] = "  %v.b = bitcast float %l to i32\n  %v = zext i32 %v.b to i64\n";

TEST(VectorArithmeticTest, RoundsEachLane) {
  for (const Shape& shape : kFloats) {
    for (const char* name : {"floor", "ceil", "trunc", "rint", "nearbyint", "roundeven", "sqrt"}) {
      const std::string function = absl::StrCat("@llvm.", name, ".", shape.name);
      ExpectSameLanes(shape, absl::StrCat("declare TYPE ", function, "(TYPE)\n"),
                      absl::StrCat("  %p = call TYPE ", function,
                                   "(TYPE %a)\n  %q = fdiv TYPE %p, %b\n  %r = call TYPE ",
                                   function, "(TYPE %q)\n"),
                      shape.type, shape.bits == 64 ? kToDouble : kToFloat,
                      shape.bits == 64 ? kFromDouble : kFromFloat);
    }
  }
}

TEST(VectorArithmeticTest, ComparesVectorsOfSeveralParts) {
  for (const Shape& shape : kFloats) {
    const std::string result = absl::StrCat("<", shape.lanes, " x i1>");
    for (const char* predicate : {"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt",
                                  "uge", "ult", "ule", "une", "uno", "true", "false"}) {
      // Some numbers are 0 / 0.
      ExpectSameLanes(shape, "",
                      absl::StrCat("  %p = fdiv TYPE %a, %a\n  %q = fmul TYPE %p, %b\n  %s = fcmp ",
                                   predicate, " TYPE %q, %a\n  %t = fcmp ", predicate,
                                   " TYPE %b, %a\n  %r = xor ", result, " %s, %t\n"),
                      result, shape.bits == 64 ? kToDouble : kToFloat,
                      "  %v = zext i1 %l to i64\n");
    }
  }
}

}  // namespace
}  // namespace firstcall

// Constrained floating-point operations: the baseline code generator and LLVM must compute the same
// in every rounding mode, and raise the same exceptions.

#include "backend/baseline/strict_floats.h"

#include <cfenv>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
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

constexpr int kModes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
constexpr absl::string_view kRounding = "metadata !\"round.dynamic\", ";
constexpr absl::string_view kStrict = "metadata !\"fpexcept.strict\") strictfp\n";

// The suffix of an intrinsic's name for the type.
std::string SuffixOf(absl::string_view type) {
  if (type == "float") return "f32";
  if (type == "double") return "f64";
  if (type == "x86_fp80") return "f80";
  if (type == "fp128") return "f128";
  return std::string(type);
}

// A call of a constrained intrinsic. `name` has the suffixes.
struct Operation {
  std::string name, result;
  std::vector<std::string> types;
  bool has_rounding = false;
  std::string predicate;

  std::string Declaration() const {
    return absl::StrCat("declare ", result, " @llvm.experimental.constrained.", name, "(",
                        absl::StrJoin(types, ", "), predicate.empty() ? "" : ", metadata",
                        has_rounding ? ", metadata" : "", ", metadata)\n");
  }
  std::string Call(const std::vector<std::string>& arguments) const {
    std::string text = absl::StrCat("call ", result, " @llvm.experimental.constrained.", name, "(");
    for (size_t i = 0; i < types.size(); ++i) {
      absl::StrAppend(&text, types[i], " ", arguments[i], ", ");
    }
    if (!predicate.empty()) absl::StrAppend(&text, "metadata !\"", predicate, "\", ");
    return absl::StrCat(text, has_rounding ? kRounding : "", kStrict);
  }
};

Operation Arithmetic(absl::string_view name, absl::string_view type, size_t count = 2,
                     bool has_rounding = true) {
  return {absl::StrCat(name, ".", SuffixOf(type)), std::string(type),
          std::vector<std::string>(count, std::string(type)), has_rounding, ""};
}

Operation Conversion(absl::string_view name, absl::string_view from, absl::string_view to,
                     bool has_rounding) {
  return {absl::StrCat(name, ".", SuffixOf(to), ".", SuffixOf(from)),
          std::string(to),
          {std::string(from)},
          has_rounding,
          ""};
}

Operation Comparison(absl::string_view name, absl::string_view type, absl::string_view predicate) {
  return {absl::StrCat(name, ".", SuffixOf(type)),
          "i1",
          {std::string(type), std::string(type)},
          false,
          std::string(predicate)};
}

// The bits of %r, as %bits; of a NaN, 0: which one it is, LLVM may choose.
std::string BitsOf(const std::string& type) {
  if (type == "float" || type == "double") {
    const std::string bits = type == "float" ? "i32" : "i64";
    return absl::StrCat(
        "  %raw = bitcast ", type, " %r to ", bits, "\n  %none = fcmp uno ", type,
        " %r, %r\n  %kept = select i1 %none, ", bits, " 0, ", bits, " %raw\n",
        type == "float" ? "  %bits = zext i32 %kept to i64\n" : "  %bits = add i64 %kept, 0\n");
  }
  if (type == "x86_fp80" || type == "fp128") {
    const std::string bits = type == "x86_fp80" ? "i80" : "i128";
    return absl::StrCat("  %raw = bitcast ", type, " %r to ", bits, "\n  %none = fcmp uno ", type,
                        " %r, %r\n  %low = trunc ", bits, " %raw to i64\n  %up = lshr ", bits,
                        " %raw, 64\n  %high = trunc ", bits,
                        " %up to i64\n  %mixed = mul i64 %high, 1000003\n"
                        "  %both = xor i64 %mixed, %low\n"
                        "  %bits = select i1 %none, i64 0, i64 %both\n");
  }
  if (type == "i64") return "  %bits = add i64 %r, 0\n";
  if (type == "i128") return "  %sh = ashr i128 %r, 3\n  %bits = trunc i128 %sh to i64\n";
  return absl::StrCat("  %bits = zext ", type, " %r to i64\n");
}

constexpr absl::string_view kDeclarations = R"(
declare i32 @feclearexcept(i32)
declare i32 @fetestexcept(i32)
declare i32 @fesetround(i32)
)";

// `body`, which computes %r of the type `result` in rounding mode `mode`, in a function whose
// result are the bits of %r and the exceptions. `before` is computed with rounding to nearest.
std::string Program(int mode, const std::string& declarations, const std::string& before,
                    const std::string& body, const std::string& result) {
  return absl::StrCat(declarations, kDeclarations, R"(
define i64 @f(i64 %i, i64 %j) strictfp {
)",
                      before, "  %m = call i32 @fesetround(i32 ", mode, R"() strictfp
  %c = call i32 @feclearexcept(i32 63) strictfp
)",
                      body, R"(
  %raised = call i32 @fetestexcept(i32 63) strictfp
  %n = call i32 @fesetround(i32 0) strictfp
)",
                      BitsOf(result), R"(
  %d = call i32 @feclearexcept(i32 63) strictfp
  %wide = zext i32 %raised to i64
  %q = mul i64 %bits, 1000003
  %s = xor i64 %q, %wide
  ret i64 %s
}
)");
}

// How %a and %b, numbers of `type`, are made of %i and %j: as bits, so that there are denormal
// numbers and NaNs among them, and by conversions.
std::vector<std::string> NumbersOf(const std::string& type) {
  if (type == "float") {
    return {R"(
  %u = trunc i64 %i to i32
  %v = trunc i64 %j to i32
  %a = bitcast i32 %u to float
  %b = bitcast i32 %v to float
)",
            R"(
  %a = sitofp i64 %i to float
  %v = sitofp i64 %j to float
  %b = fdiv float %v, 3.0
)"};
  }
  if (type == "double") {
    return {R"(
  %a = bitcast i64 %i to double
  %b = bitcast i64 %j to double
)",
            R"(
  %a = sitofp i64 %i to double
  %v = sitofp i64 %j to double
  %b = fdiv double %v, 3.0
)"};
  }
  return {absl::StrCat("  %a = sitofp i64 %i to ", type, "\n  %v = sitofp i64 %j to ", type,
                       "\n  %w = fpext double 3.0 to ", type, "\n  %b = fdiv ", type, " %v, %w\n"),
          absl::StrCat("  %a = sitofp i64 %i to ", type, "\n  %v = bitcast i64 %j to double\n",
                       "  %b = fpext double %v to ", type, "\n")};
}

// Compares the operation for all modes and numbers.
void ExpectSameOperation(const Operation& operation) {
  const std::string& type = operation.types[0];
  const bool is_number = type[0] != 'i';
  const std::vector<std::string> numbers =
      is_number
          ? NumbersOf(type)
          : std::vector<std::string>{type == "i64" ? "  %a = add i64 %i, %j\n"
                                     : type == "i128"
                                         ? "  %u = sext i64 %i to i128\n"
                                           "  %v = zext i64 %j to i128\n"
                                           "  %w = shl i128 %u, 60\n  %a = xor i128 %v, %w\n"
                                         : absl::StrCat("  %u = xor i64 %i, %j\n  %a = trunc i64 "
                                                        "%u to ",
                                                        type, "\n")};
  for (int mode : kModes) {
    for (const std::string& made : numbers) {
      ExpectSame(Program(mode, operation.Declaration(), made,
                         absl::StrCat("  %r = ", operation.Call({"%a", "%b", "%a"})),
                         operation.result));
    }
  }
}

// Both types of numbers that have registers of their own.
constexpr const char* kTypes[] = {"float", "double"};

TEST(StrictFloatsTest, Compute) {
  for (const char* type : kTypes) {
    for (const char* name : {"fadd", "fsub", "fmul", "fdiv", "frem"}) {
      ExpectSameOperation(Arithmetic(name, type));
    }
    ExpectSameOperation(Arithmetic("sqrt", type, 1));
    ExpectSameOperation(Arithmetic("fma", type, 3));
    ExpectSameOperation(Arithmetic("maxnum", type, 2, /*has_rounding=*/false));
    ExpectSameOperation(Arithmetic("minnum", type, 2, /*has_rounding=*/false));
  }
}

TEST(StrictFloatsTest, MultiplyAndAdd) {
#ifdef __x86_64__
  constexpr char kFeatures[] = "-fma,-fma4";
#else
  constexpr char kFeatures[] = "";
#endif
  for (const char* type : kTypes) {
    const Operation operation = Arithmetic("fmuladd", type, 3);
    for (int mode : kModes) {
      ExpectSame(Program(mode, operation.Declaration(), NumbersOf(type)[1],
                         absl::StrCat("  %r = ", operation.Call({"%b", "%b", "%a"})), type),
                 kFeatures);
    }
  }
}

TEST(StrictFloatsTest, Compare) {
  for (const char* type : kTypes) {
    for (const char* predicate : {"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq",
                                  "ugt", "uge", "ult", "ule", "une"}) {
      for (const char* name : {"fcmp", "fcmps"}) {
        const Operation comparison = Comparison(name, type, predicate);
        for (const std::string& made : NumbersOf(type)) {
          const auto expect = [&](const std::string& body) {
            ExpectSame(Program(FE_TONEAREST, comparison.Declaration(), made, body, "i64"));
          };
          const std::string begin = absl::StrCat("  %is = ", comparison.Call({"%a", "%b"}));
          expect(absl::StrCat(begin, "  %r = zext i1 %is to i64\n"));
          expect(absl::StrCat(begin, "  %r = select i1 %is, i64 %i, i64 %j\n"));
        }
      }
    }
  }
}

TEST(StrictFloatsTest, ConvertBetweenNumbers) {
  ExpectSameOperation(Conversion("fpext", "float", "double", /*has_rounding=*/false));
  ExpectSameOperation(Conversion("fptrunc", "double", "float", /*has_rounding=*/true));
}

TEST(StrictFloatsTest, ConvertFromIntegers) {
  for (const char* to : kTypes) {
    for (const char* from : {"i1", "i8", "i16", "i32", "i40", "i64", "i128"}) {
      for (const char* name : {"sitofp", "uitofp"}) {
        ExpectSameOperation(Conversion(name, from, to, /*has_rounding=*/true));
      }
    }
  }
}

// Of numbers that fit, what is computed and what is raised.
TEST(StrictFloatsTest, ConvertToIntegers) {
  for (const char* from : kTypes) {
    for (const char* to : {"i8", "i16", "i32", "i40", "i64", "i128"}) {
      for (const char* name : {"fptosi", "fptoui"}) {
        const Operation conversion = Conversion(name, from, to, /*has_rounding=*/false);
        ExpectSame(Program(FE_UPWARD, conversion.Declaration(),
                           absl::StrCat("  %k = and i64 %i, 127\n  %u = uitofp i64 %k to ", from,
                                        "\n  %a = fdiv ", from, " %u, 4.0\n"),
                           absl::StrCat("  %r = ", conversion.Call({"%a"})), to));
      }
    }
    const Operation conversion = Conversion("fptoui", from, "i64", /*has_rounding=*/false);
    // With the highest bit, and rounded so that the number is below 2^64.
    ExpectSame(
        Program(FE_TONEAREST, conversion.Declaration(),
                absl::StrCat("  %k = lshr i64 %i, 2\n  %l = or i64 %k, -9223372036854775808\n"
                             "  %a = uitofp i64 %l to ",
                             from, "\n"),
                absl::StrCat("  %r = ", conversion.Call({"%a"})), "i64"));
  }
}

// A number that no integer is near raises an exception. What is computed has no meaning.
TEST(StrictFloatsTest, NumbersOutOfRangeAreInvalid) {
  for (const char* from : kTypes) {
    for (const char* to : {"i32", "i64"}) {
      for (const char* name : {"fptosi", "fptoui"}) {
        const Operation conversion = Conversion(name, from, to, /*has_rounding=*/false);
        for (const std::string& made : NumbersOf(from)) {
          ExpectSame(Program(
              FE_TONEAREST, conversion.Declaration(), made,
              absl::StrCat("  %x = ", conversion.Call({"%a"}), "  %r = add i64 %i, 0\n"), "i64"));
        }
      }
    }
  }
}

TEST(StrictFloatsTest, RoundToIntegralValues) {
  for (const char* type : kTypes) {
    for (const char* name : {"ceil", "floor", "trunc", "round", "roundeven"}) {
      ExpectSameOperation(Arithmetic(name, type, 1, /*has_rounding=*/false));
    }
    for (const char* name : {"rint", "nearbyint"}) ExpectSameOperation(Arithmetic(name, type, 1));
    for (const char* name : {"lrint", "llrint"}) {
      ExpectSameOperation(Conversion(name, type, "i64", /*has_rounding=*/true));
    }
    for (const char* name : {"lround", "llround"}) {
      ExpectSameOperation(Conversion(name, type, "i64", /*has_rounding=*/false));
    }
  }
}

TEST(StrictFloatsTest, CallTheLibrary) {
  for (const char* type : kTypes) {
    for (const char* name : {"acos", "asin", "atan", "cos", "cosh", "exp", "exp2", "log", "log10",
                             "log2", "sin", "sinh", "tan", "tanh"}) {
      const Operation function = Arithmetic(name, type, 1);
      ExpectSame(Program(FE_UPWARD, function.Declaration(), NumbersOf(type)[1],
                         absl::StrCat("  %r = ", function.Call({"%b"})), type));
    }
    ExpectSameOperation(Arithmetic("pow", type));
    const Operation scaled = {absl::StrCat("ldexp.", SuffixOf(type), ".i32"),
                              type,
                              {type, "i32"},
                              /*has_rounding=*/true,
                              ""};
    ExpectSame(Program(FE_DOWNWARD, scaled.Declaration(),
                       absl::StrCat(NumbersOf(type)[1], "  %e = trunc i64 %i to i32\n"),
                       absl::StrCat("  %r = ", scaled.Call({"%b", "%e"})), type));
  }
}

TEST(StrictFloatsTest, LongDoubles) {
#ifdef __x86_64__
  const std::string type = "x86_fp80";
#else
  const std::string type = "fp128";
#endif
  for (const char* name : {"fadd", "fsub", "fmul", "fdiv", "frem"}) {
    ExpectSameOperation(Arithmetic(name, type));
  }
  for (const char* name : {"ceil", "floor", "trunc", "round"}) {
    ExpectSameOperation(Arithmetic(name, type, 1, /*has_rounding=*/false));
  }
  for (const char* predicate : {"oeq", "olt", "uge", "uno"}) {
    for (const char* name : {"fcmp", "fcmps"}) {
      const Operation comparison = Comparison(name, type, predicate);
      for (const std::string& made : NumbersOf(type)) {
        ExpectSame(Program(
            FE_TONEAREST, comparison.Declaration(), made,
            absl::StrCat("  %is = ", comparison.Call({"%a", "%b"}), "  %r = zext i1 %is to i64\n"),
            "i64"));
      }
    }
  }
  for (const char* other : kTypes) {
    ExpectSameOperation(Conversion("fpext", other, type, /*has_rounding=*/false));
    ExpectSameOperation(Conversion("fptrunc", type, other, /*has_rounding=*/true));
  }
  for (const char* other : {"i32", "i64", "i128"}) {
    for (const char* name : {"sitofp", "uitofp"}) {
      ExpectSameOperation(Conversion(name, other, type, /*has_rounding=*/true));
    }
  }
}

// What is raised for a number that does not fit depends on the size that x87 instructions convert
// to.
TEST(StrictFloatsTest, LongDoublesToIntegers) {
#ifndef __x86_64__
  GTEST_SKIP() << "only x86-64 has x86_fp80";
#endif
  for (const char* to : {"i8", "i16", "i32", "i64"}) {
    for (const char* name : {"fptosi", "fptoui"}) {
      const Operation conversion = Conversion(name, "x86_fp80", to, /*has_rounding=*/false);
      for (const std::string& made : NumbersOf("x86_fp80")) {
        ExpectSame(Program(
            FE_UPWARD, conversion.Declaration(), made,
            absl::StrCat("  %x = ", conversion.Call({"%b"}), "  %r = add i64 %i, 0\n"), "i64"));
      }
    }
  }
}

// The lanes behind the first are %a, %b and %a again, as far as there are so many.
TEST(StrictFloatsTest, VectorsRaiseWhatTheirLanesRaise) {
  struct Shape {
    const char* lane;
    int count;
  };
  for (const Shape& shape : {Shape{"double", 2}, {"float", 3}, {"float", 4}, {"double", 1}}) {
    const std::string lane = shape.lane;
    const int count = shape.count;
    const std::string type = absl::StrCat("<", count, " x ", lane, ">");
    const std::string suffix = absl::StrCat("v", count, SuffixOf(lane));
    std::string made;
    for (int i = 0; i < count; ++i) {
      const auto insert = [&](const char* name, const char* value) {
        const std::string before = i == 0 ? "zeroinitializer" : absl::StrCat("%", name, i - 1);
        return absl::StrCat("  %", name, i, " = insertelement ", type, " ", before, ", ", lane, " ",
                            value, ", i32 ", i, "\n");
      };
      absl::StrAppend(&made, insert("x", i == 2 ? "%b" : "%a"), insert("y", i == 1 ? "%a" : "%b"));
    }
    const std::vector<std::string> operands = {absl::StrCat("%x", count - 1),
                                               absl::StrCat("%y", count - 1)};
    std::vector<Operation> operations;
    for (const char* name : {"fadd", "fsub", "fmul", "fdiv"}) {
      operations.push_back(Arithmetic(name, type));
      operations.back().name = absl::StrCat(name, ".", suffix);
    }
    operations.push_back(Arithmetic("sqrt", type, 1));
    operations.back().name = absl::StrCat("sqrt.", suffix);
    operations.push_back(Arithmetic("floor", type, 1, /*has_rounding=*/false));
    operations.back().name = absl::StrCat("floor.", suffix);
    for (const std::string& numbers : NumbersOf(lane)) {
      for (const Operation& operation : operations) {
        for (int mode : kModes) {
          ExpectSame(Program(
              mode, operation.Declaration(), absl::StrCat(numbers, made),
              absl::StrCat("  %vector = ", operation.Call(operands), "  %r = extractelement ", type,
                           " %vector, i32 ", count - 1, "\n"),
              lane));
        }
      }
      Operation comparison = Comparison("fcmps", type, "olt");
      comparison.name = absl::StrCat("fcmps.", suffix);
      comparison.result = absl::StrCat("<", count, " x i1>");
      ExpectSame(Program(FE_TONEAREST, comparison.Declaration(), absl::StrCat(numbers, made),
                         absl::StrCat("  %vector = ", comparison.Call(operands),
                                      "  %packed = bitcast ", comparison.result, " %vector to i",
                                      count, "\n  %r = zext i", count, " %packed to i64\n"),
                         "i64"));
    }
  }
}

TEST(StrictFloatsTest, RaiseWhatNothingUses) {
  for (const Operation& operation :
       {Arithmetic("fdiv", "double"), Comparison("fcmps", "double", "olt"),
        Arithmetic("sqrt", "double", 1), Arithmetic("rint", "double", 1),
        Conversion("fptrunc", "double", "float", /*has_rounding=*/true),
        Arithmetic("pow", "double")}) {
    for (const std::string& made : NumbersOf("double")) {
      ExpectSame(Program(
          FE_TONEAREST, operation.Declaration(), made,
          absl::StrCat("  %x = ", operation.Call({"%b", "%a"}), "  %r = add i64 %i, 0\n"), "i64"));
    }
  }
}

// What raises an exception is on its side of a call, whoever uses the result.
TEST(StrictFloatsTest, StayWhereTheyStand) {
  const Operation comparison = Comparison("fcmps", "double", "olt");
  const Operation division = Arithmetic("fdiv", "double");
  const std::string clear = "  %e = call i32 @feclearexcept(i32 63) strictfp\n";
  for (const std::string& made : NumbersOf("double")) {
    ExpectSame(Program(FE_TONEAREST, comparison.Declaration(), made,
                       absl::StrCat("  %is = ", comparison.Call({"%a", "%b"}), clear,
                                    "  %r = select i1 %is, i64 %i, i64 %j\n"),
                       "i64"));
    ExpectSame(Program(FE_TONEAREST, comparison.Declaration(), made,
                       absl::StrCat("  %is = ", comparison.Call({"%a", "%b"}), clear, R"(
  br i1 %is, label %yes, label %no
yes:
  br label %no
no:
  %r = phi i64 [ %i, %0 ], [ %j, %yes ]
)"),
                       "i64"));
    ExpectSame(Program(FE_TONEAREST, division.Declaration(), made,
                       absl::StrCat("  %r = ", division.Call({"%a", "%b"}), clear), "double"));
    ExpectSame(Program(
        FE_DOWNWARD, division.Declaration() + Arithmetic("fsub", "double").Declaration(), made,
        absl::StrCat("  %down = ", division.Call({"%a", "%b"}), "  %e = call i32 @fesetround(i32 ",
                     FE_UPWARD, ") strictfp\n  %up = ", division.Call({"%a", "%b"}),
                     "  %r = ", Arithmetic("fsub", "double").Call({"%up", "%down"})),
        "double"));
  }
}

TEST(StrictFloatsTest, ConstantsAreComputed) {
  const Operation division = Arithmetic("fdiv", "double");
  for (int mode : kModes) {
    for (const char* divisor : {"3.0", "0.0"}) {
      ExpectSame(Program(mode, division.Declaration(), "",
                         absl::StrCat("  %r = ", division.Call({"1.0", divisor})), "double"));
    }
  }
}

TEST(StrictFloatsTest, OtherExceptionsAndRoundingsAreTheSameInstructions) {
  for (const char* rounding : {"tonearest", "downward", "upward", "towardzero", "dynamic"}) {
    for (const char* exceptions : {"ignore", "maytrap", "strict"}) {
      ExpectSame(absl::StrCat(R"(
declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)
define i64 @f(i64 %i, i64 %j) strictfp {
  %a = bitcast i64 %i to double
  %b = bitcast i64 %j to double
  %c = call double @llvm.experimental.constrained.fadd.f64(double %a, double %b, metadata !"round.)",
                              rounding, "\", metadata !\"fpexcept.", exceptions, R"(") strictfp
  %is = fcmp ord double %c, %c
  %bits = bitcast double %c to i64
  %r = select i1 %is, i64 %bits, i64 1
  ret i64 %r
})"));
    }
  }
}

// For a processor without extensions. All arguments of an operation are %a.
TEST(StrictFloatsTest, WhatIsCovered) {
  const auto refusal = [](const char* triple, const Operation& operation) {
    std::string text = absl::StrCat(operation.Declaration(), "define ", operation.result, " @f(",
                                    operation.types[0], " %a) strictfp {\n");
    absl::StrAppend(&text, "  %r = ", operation.Call({"%a", "%a", "%a"}), "  ret ",
                    operation.result, " %r\n}\n");
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = Parse(text, context);
    if (module == nullptr) return Refusal::kCount;
    baseline::BaselineOptions options;
    CompiledCode code;
    return CompileLlvm(**baseline::BaselineCompiler::Create(triple, options),
                       *module->getFunction("f"), code);
  };
  for (const char* triple : {"x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu"}) {
    EXPECT_EQ(refusal(triple, Arithmetic("fadd", "double")), Refusal::kNone);
    EXPECT_EQ(refusal(triple, Arithmetic("fadd", "fp128")), Refusal::kNone);
    EXPECT_EQ(refusal(triple, Comparison("fcmps", "float", "ult")), Refusal::kNone);
    EXPECT_EQ(refusal(triple, Arithmetic("minimum", "double", 2, /*has_rounding=*/false)),
              Refusal::kIntrinsic);
    EXPECT_EQ(refusal(triple, Arithmetic("fadd", "half")), Refusal::kType);
    EXPECT_EQ(refusal(triple, Conversion("fpext", "half", "float", /*has_rounding=*/false)),
              Refusal::kType);
    Operation vectors = Arithmetic("fadd", "<4 x float>");
    vectors.name = "fadd.v4f32";
    EXPECT_EQ(refusal(triple, vectors), Refusal::kNone);
    vectors = Arithmetic("fadd", "<4 x half>");
    vectors.name = "fadd.v4f16";
    EXPECT_EQ(refusal(triple, vectors), Refusal::kType);
  }
  // Without an instruction, this is a function of the library that the baseline does not call.
  EXPECT_EQ(refusal("x86_64-pc-linux-gnu", Arithmetic("roundeven", "double", 1, false)),
            Refusal::kIntrinsic);
  EXPECT_EQ(refusal("aarch64-unknown-linux-gnu", Arithmetic("roundeven", "double", 1, false)),
            Refusal::kNone);
}

}  // namespace
}  // namespace firstcall

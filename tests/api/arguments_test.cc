// What a caller passes is what the callee gets, although in between the callee was compiled: for
// every class of registers, in every calling convention, that arguments and results have on this
// architecture.
//
// Each case is a function that stores what it was passed, and one that calls it through a pointer,
// for the first time, with bytes of the test; what is expected are these bytes, stored without a
// call.

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

// Bytes for one value: the largest vectors of SVE have 256.
constexpr int kCell = 256;
constexpr int kMaxValues = 32;

struct Case {
  const char* name;
  // Types of the arguments, each with the attributes it is passed with behind it: "ptr nest".
  std::vector<std::string> arguments;
  const char* result = "void";
  const char* convention = "";
  // What the CPU must have, as LLVM names it; the functions are compiled for it.
  const char* feature = "";
  size_t variable_from = SIZE_MAX;  // The arguments from this one on are variable.

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

std::vector<std::string> Times(int count, const std::string& type) {
  return std::vector<std::string>(count, type);
}

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// More than registers hold, unless a convention has no place for more than those.
const Case kCases[] = {
    {"Integers", Times(12, "i64"), "i64"},
    {"SmallIntegers", {"i8", "i16", "i32", "i8 zeroext", "i16 signext", "i32"}, "i8"},
    {"Pointers", Times(10, "ptr"), "ptr"},
    {"WideIntegers", Times(3, "i128") + Times(1, "i64") + Times(3, "i128"), "i128"},
    {"Floats", Times(12, "float"), "float"},
    {"Doubles", Times(12, "double"), "double"},
    {"LongDoubles", Times(10, "fp128"), "fp128"},
    {"Vectors128", Times(12, "<4 x i32>"), "<4 x i32>"},
    {"Mixed", {"i64", "double", "i32", "<2 x double>", "ptr", "float", "i128", "double"}, "double"},
    {"HomogeneousFloats", Times(3, "[4 x float]"), "[4 x float]"},
    {"HomogeneousDoubles", Times(3, "[3 x double]"), "{ double, double }"},
    {"SmallStructures", Times(5, "[2 x i64]"), "{ i64, i64 }"},
    {"LargeStructure", {"i64", "ptr byval([9 x i64])", "double"}, "i64"},
    {"ReturnedInMemory", {"ptr sret([9 x i64])", "i64", "double"}},
    {"VariableArguments",
     {"ptr", "i32", "i32", "double", "i64", "double", "i64", "double", "i64", "i64", "i64",
      "double", "double", "i64", "i64"},
     "i32",
     "",
     "",
     2},
    {"Fastcc", Times(12, "i64") + Times(10, "double"), "double", "fastcc"},
    {"PreserveMost", Times(8, "i64") + Times(8, "double"), "i64", "preserve_mostcc"},
    {"PreserveAll", Times(8, "i64") + Times(8, "double"), "void", "preserve_allcc"},
    {"PreserveNone", Times(12, "i64") + Times(8, "double"), "i64", "preserve_nonecc"},
    {"Swiftcc",
     {"i64", "i64", "ptr swiftself", "double", "double"},
     "{ i64, i64, i64, i64 }",
     "swiftcc"},
    {"Swifttailcc", {"i64", "ptr swiftasync", "ptr swiftself", "double"}, "i64", "swifttailcc"},
    {"Tailcc", Times(6, "i64") + Times(8, "double"), "i64", "tailcc"},
    {"Nest", {"ptr nest", "i64", "i64", "double"}, "i64"},
    {"Ghccc", Times(9, "i64") + Times(4, "float") + Times(2, "double"), "void", "ghccc"},
#if defined(__x86_64__)
    {"Coldcc", Times(8, "i64") + Times(8, "double"), "i64", "coldcc"},
    {"ExtendedDoubles", Times(4, "x86_fp80"), "x86_fp80"},
    {"Halves", Times(8, "half"), "half"},
    {"Vectors256", Times(10, "<8 x i32>"), "<8 x i32>", "", "avx2"},
    {"Vectors512", Times(10, "<16 x i32>"), "<16 x i32>", "", "avx512f"},
    {"Masks", Times(6, "<64 x i1>"), "<64 x i1>", "", "avx512bw"},
    {"Regcall", Times(11, "i64 inreg") + Times(14, "double inreg"), "{ i64, i64, double, double }",
     "x86_regcallcc"},
    {"RegcallVectors256", Times(16, "<8 x i32> inreg"), "<8 x i32>", "x86_regcallcc", "avx2"},
    {"RegcallVectors512", Times(16, "<16 x i32> inreg"), "<16 x i32>", "x86_regcallcc", "avx512f"},
    {"Vectorcall", Times(6, "i64 inreg") + Times(6, "<4 x float> inreg"), "<4 x float>",
     "x86_vectorcallcc"},
    {"Win64", {"i64", "double", "i64", "double", "i64", "double"}, "i64", "win64cc"},
    {"GhcVectors256", Times(8, "i64") + Times(6, "<8 x i32>"), "void", "ghccc", "avx2"},
    {"GhcVectors512", Times(8, "i64") + Times(6, "<16 x i32>"), "void", "ghccc", "avx512f"},
#elif defined(__aarch64__)
    {"Halves", Times(10, "half"), "half"},
    {"HomogeneousVectors", Times(3, "[4 x <4 x i32>]"), "[4 x <4 x i32>]"},
    {"VectorPcs", Times(12, "<4 x i32>") + Times(8, "i64"), "[4 x <4 x i32>]",
     "aarch64_vector_pcs"},
    {"ScalableVectors", Times(8, "<vscale x 4 x i32>") + Times(4, "<vscale x 16 x i1>"),
     "<vscale x 4 x i32>", "", "sve"},
    {"ScalableVectorPcs", Times(12, "<vscale x 4 x i32>") + Times(4, "<vscale x 16 x i1>"),
     "<vscale x 16 x i1>", "aarch64_sve_vector_pcs", "sve"},
#endif
};

std::string TypeOf(const std::string& argument) {
  // A type has spaces in brackets only.
  int depth = 0;
  for (size_t i = 0; i < argument.size(); ++i) {
    if (absl::StrContains("[{<(", argument.substr(i, 1))) ++depth;
    if (absl::StrContains("]}>)", argument.substr(i, 1))) --depth;
    if (argument[i] == ' ' && depth == 0) return argument.substr(0, i);
  }
  return argument;
}

bool IsMemory(const std::string& argument, const char* attribute) {
  return absl::StrContains(argument, std::string(" ") + attribute + "(");
}

std::string Cell(const char* table, size_t i) {
  return absl::StrCat("getelementptr (i8, ptr @", table, ", i64 ", i * kCell, ")");
}

std::string Copy(const std::string& type, const std::string& from, const std::string& to) {
  static int number = 0;
  const std::string value = absl::StrCat("%copy", number++);
  return absl::StrCat("  ", value, " = load ", type, ", ptr ", from, ", align 16\n  store ", type,
                      " ", value, ", ptr ", to, ", align 16\n");
}

constexpr char kBlock[] = "[9 x i64]";  // What byval and sret are about.

// The module of a case: @given, @expected and @seen hold a cell for each argument and one for the
// result.
std::string ModuleOf(const Case& c) {
  const size_t count = c.arguments.size(), result_cell = kMaxValues - 1;
  const bool is_variable = c.variable_from != SIZE_MAX;
  const bool has_result = std::string(c.result) != "void";
  const std::string attributes =
      *c.feature == 0 ? "" : absl::StrCat(" \"target-features\"=\"+", c.feature, "\"");
  std::vector<std::string> parameters, passed;
  std::string callee, loads, expected;
  for (size_t i = 0; i < count; ++i) {
    const std::string& argument = c.arguments[i];
    const std::string type = TypeOf(argument);
    const bool is_byval = IsMemory(argument, "byval"), is_sret = IsMemory(argument, "sret");
    if (is_byval || is_sret) {
      passed.push_back(absl::StrCat(argument, " ", Cell(is_sret ? "seen" : "given", i)));
      callee += Copy(kBlock, is_sret ? Cell("given", i) : absl::StrCat("%p", i),
                     is_sret ? absl::StrCat("%p", i) : Cell("seen", i));
      expected += Copy(kBlock, Cell("given", i), Cell("expected", i));
    } else {
      loads +=
          absl::StrCat("  %v", i, " = load ", type, ", ptr ", Cell("given", i), ", align 16\n");
      passed.push_back(absl::StrCat(argument, " %v", i));
      expected +=
          absl::StrCat("  store ", type, " %v", i, ", ptr ", Cell("expected", i), ", align 16\n");
      if (i < c.variable_from) {
        callee +=
            absl::StrCat("  store ", type, " %p", i, ", ptr ", Cell("seen", i), ", align 16\n");
      }
    }
    if (i < c.variable_from) parameters.push_back(absl::StrCat(argument, " %p", i));
  }
  if (is_variable) {
    parameters.push_back("...");
    callee += absl::StrCat(
        "  %list = alloca [4 x i64], align 16\n  call void @llvm.va_start.p0(ptr %list)\n"
        "  call void @CollectVariable(ptr %list)\n  call void @llvm.va_end.p0(ptr %list)\n");
  }
  std::string call = absl::StrCat("call ", c.convention, " ", c.result, " ");
  if (is_variable) call += "(ptr, i32, ...) ";
  absl::StrAppend(&call, "%callee(", absl::StrJoin(passed, ", "), ")\n");
  std::string ret = "  ret void\n", result;
  if (has_result) {
    ret = absl::StrCat("  %result = load ", c.result, ", ptr ", Cell("given", result_cell),
                       ", align 16\n  ret ", c.result, " %result\n");
    call = "%r = " + call;
    expected += Copy(c.result, Cell("given", result_cell), Cell("expected", result_cell));
    result =
        absl::StrCat("  store ", c.result, " %r, ptr ", Cell("seen", result_cell), ", align 16\n");
  }
  std::string text;
  for (const char* table : {"given", "expected", "seen"}) {
    absl::StrAppend(&text, "@", table, " = global [", kCell * kMaxValues,
                    " x i8] zeroinitializer, align 64\n");
  }
  absl::StrAppend(&text,
                  "declare void @llvm.va_start.p0(ptr)\ndeclare void @llvm.va_end.p0(ptr)\n"
                  "declare void @CollectVariable(ptr)\n@table = global ptr @callee\n",
                  "define ", c.convention, " ", c.result, " @callee(",
                  absl::StrJoin(parameters, ", "), ")", attributes, " {\n", callee, ret, "}\n",
                  "define void @caller()", attributes, " {\n", loads, expected,
                  "  %callee = load volatile ptr, ptr @table\n  ", call, result, "  ret void\n}\n");
  return text;
}

}  // namespace
}  // namespace firstcall

// What the arguments behind a list are, in the order of VariableArguments above, for the code under
// test. A list is passed as the address of its first element, or is larger than two words and
// passed by address: the same for both architectures.
static uint8_t* variable_cells;
extern "C" __attribute__((visibility("default"))) void CollectVariable(void* list) {
  va_list arguments;
  std::memcpy(&arguments, list, sizeof(arguments));
  uint8_t* cell = variable_cells;
  const auto store = [&cell](const auto& value) {
    std::memcpy(cell, &value, sizeof(value));
    cell += firstcall::kCell;
  };
  for (const char* kind = "idldldlllddll"; *kind != 0; ++kind) {
    if (*kind == 'i') store(va_arg(arguments, int));
    if (*kind == 'l') store(va_arg(arguments, int64_t));
    if (*kind == 'd') store(va_arg(arguments, double));
  }
}

namespace firstcall {
namespace {

bool CpuHas(const char* feature) {
#if defined(__aarch64__)
  // LLVM asks /proc/cpuinfo, which in the emulator is that of the machine below.
  if (std::string(feature) == "sve") return (getauxval(AT_HWCAP) & HWCAP_SVE) != 0;
#endif
  return llvm::sys::getHostCPUFeatures().lookup(feature);
}

class ArgumentsTest : public ::testing::TestWithParam<std::tuple<Case, CodegenLevel>> {};

INSTANTIATE_TEST_SUITE_P(Classes, ArgumentsTest,
                         ::testing::Combine(::testing::ValuesIn(kCases),
                                            ::testing::Values(CodegenLevel::kO0,
                                                              CodegenLevel::kO2)),
                         [](const auto& info) {
                           return absl::StrCat(
                               std::get<0>(info.param).name,
                               std::get<1>(info.param) == CodegenLevel::kO0 ? "AtO0" : "AtO2");
                         });

TEST_P(ArgumentsTest, SurviveAFirstCall) {
  const auto& [c, level] = GetParam();
  if (*c.feature != 0 && !CpuHas(c.feature)) {
    GTEST_SKIP() << "this CPU has no " << c.feature;
  }
  EngineOptions options;
  options.codegen_level = level;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  const std::string text = ModuleOf(c);
  ASSERT_THAT(engine->AddAssembly(text, c.name), IsOk()) << text;
  const auto table = [&](const char* name) {
    return static_cast<uint8_t*>(engine->LookupAddress(name).value());
  };
  uint8_t* const given = table("given");
  uint8_t* const expected = table("expected");
  uint8_t* const seen = table("seen");
  for (int i = 0; i < kCell * kMaxValues; ++i)
    given[i] = static_cast<uint8_t>(i * 37 + i / 256 + 1);
  variable_cells = seen + kCell * (c.variable_from == SIZE_MAX ? 0 : c.variable_from);
  ASSERT_THAT(engine->Prepare({"caller"}), IsOk()) << text;
  const auto caller = engine->Lookup<void()>("caller");
  ASSERT_THAT(caller, IsOk()) << text;
  (*caller)();
  EXPECT_EQ(engine->stats().functions_compiled, 2u);
  for (size_t i = 0; i < kMaxValues; ++i) {
    const bool is_passed = i < c.arguments.size();
    const bool is_result = i == kMaxValues - 1 && std::string(c.result) != "void";
    const std::string zeros(8, '\0');
    if (is_passed || is_result) {
      EXPECT_NE(std::memcmp(expected + i * kCell, zeros.data(), 1), 0) << "value " << i;
    }
    EXPECT_EQ(std::memcmp(seen + i * kCell, expected + i * kCell, kCell), 0)
        << (is_result ? "the result" : absl::StrCat("argument ", i)) << " in\n"
        << text;
  }
}

}  // namespace
}  // namespace firstcall

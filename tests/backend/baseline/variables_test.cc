// Variables that the baseline code generator writes hold what LLVM's hold, in an engine each.

#include "backend/baseline/variables.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/from_llvm/llvm_reader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAreArray;

struct Variable {
  std::string name;
  size_t size;
  std::string definition;  // After the name and the equals sign.
};

const std::vector<Variable>& Variables() {
  static const auto* const variables = new std::vector<Variable> {
    {"byte", 1, "global i8 -3"}, {"odd", 4, "global i24 -3"},
        {"wide", 8, "constant i64 1234567890123"},
        {"wider", 16, "global i128 -170141183460469231731687303715884105728"},
        {"a_float", 4, "global float 1.5"}, {"a_double", 8, "constant double -0.0"},
        {"a_half", 2, "global half 0xH3C01"},
#if defined(__x86_64__)
        {"extended", 16, "global x86_fp80 0xK4000C000000000000001"},
#endif
        {"text", 6, "unnamed_addr constant [6 x i8] c\"hello\\00\""},
        {"shorts", 6, "global [3 x i16] [i16 1, i16 -2, i16 3]"},
        {"floats", 8, "global <2 x float> <float 1.0, float 2.5>"},
        {"doubles", 16, "global [2 x double] [double 1.0, double 2.5]"},
        {"structure", 24,
         "global { i8, i32, [2 x i16], i64 } { i8 1, i32 2, [2 x i16] [i16 3, i16 "
         "4], i64 5 }"},
        {"packed", 13, "constant <{ i8, i32, i64 }> <{ i8 1, i32 2, i64 5 }>"},
        {"nested", 16,
         "global [2 x { i8, i32 }] [{ i8, i32 } { i8 7, i32 8 }, { i8, i32 } "
         "zeroinitializer]"},
        {"partly", 12, "global { i32, i32, i32 } { i32 9, i32 undef, i32 poison }"},
        {"zeros", 100, "global [100 x i8] zeroinitializer"},
        {"constant_zeros", 100, "constant [100 x i8] zeroinitializer"},
        {"undefined", 40, "global [10 x i32] undef"},
        {"many_zeros", 1 << 20, "global [1048576 x i8] zeroinitializer, align 4096"},
        {"aligned", 4, "global i32 6, align 256"}, {"sum", 8, "global i64 add (i64 1, i64 40)"},
        {"from_number", 8, "global ptr inttoptr (i64 4096 to ptr)"}, {"null", 8, "global ptr null"},
        {"weak_one", 4, "weak global i32 11"}, {"empty", 0, "global {} zeroinitializer"},
        {"empty_too", 0, "global [0 x i32] zeroinitializer"},
  };
  return *variables;
}

// Pointers: what they point to, as a distance from @text, or the function @f.
constexpr char kPointers[] = R"(
  @to_text = global ptr @text
  @into_text = constant ptr getelementptr ([6 x i8], ptr @text, i64 0, i64 3)
  @before_text = global ptr getelementptr (i8, ptr @text, i64 -5)
  @as_number = global i64 ptrtoint (ptr getelementptr (i8, ptr @text, i64 2) to i64)
  @table = constant [2 x ptr] [ptr @f, ptr @text]
  @itself = global ptr @itself
  @distances = constant [2 x i32] [
    i32 trunc (i64 sub (i64 ptrtoint (ptr @text to i64),
                        i64 ptrtoint (ptr @distances to i64)) to i32),
    i32 trunc (i64 sub (i64 ptrtoint (ptr @wide to i64),
                        i64 ptrtoint (ptr getelementptr (i8, ptr @distances, i64 4) to i64)) to i32)]
  @missing = extern_weak global i32
  @to_missing = global ptr @missing
  define i32 @f() { ret i32 5 }
)";

std::string Program() {
  std::string text;
  for (const Variable& variable : Variables()) {
    text += "@" + variable.name + " = " + variable.definition + "\n";
  }
  return text + kPointers;
}

std::unique_ptr<Engine> EngineWith(Baseline baseline) {
  EngineOptions options;
  options.baseline = baseline;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  EXPECT_THAT(engine->AddBitcode(ParseToBitcode(Program()), "program"), IsOk());
  return engine;
}

template <typename T>
T* AddressOf(Engine& engine, const std::string& name) {
  return static_cast<T*>(engine.LookupAddress(name).value());
}

TEST(VariablesTest, HoldWhatLlvmWrites) {
  const std::unique_ptr<Engine> baseline = EngineWith(Baseline::kOn);
  const std::unique_ptr<Engine> llvm = EngineWith(Baseline::kOff);
  for (const Variable& variable : Variables()) {
    const auto* actual = AddressOf<uint8_t>(*baseline, variable.name);
    const auto* expected = AddressOf<uint8_t>(*llvm, variable.name);
    EXPECT_THAT(std::vector<uint8_t>(actual, actual + variable.size),
                ElementsAreArray(expected, variable.size))
        << variable.name;
  }
}

TEST(VariablesTest, AreAligned) {
  const std::unique_ptr<Engine> engine = EngineWith(Baseline::kOn);
  const auto misalignment = [&](const char* name, uintptr_t alignment) {
    return reinterpret_cast<uintptr_t>(AddressOf<void>(*engine, name)) % alignment;
  };
  EXPECT_EQ(misalignment("many_zeros", 4096), 0u);
  EXPECT_EQ(misalignment("aligned", 256), 0u);
  EXPECT_EQ(misalignment("wider", 16), 0u);
  EXPECT_EQ(misalignment("structure", 8), 0u);
}

TEST(VariablesTest, PointWhereTheyShould) {
  for (Baseline setting : {Baseline::kOn, Baseline::kOff}) {
    const std::unique_ptr<Engine> engine = EngineWith(setting);
    const auto* text = AddressOf<const char>(*engine, "text");
    EXPECT_EQ(*AddressOf<const char*>(*engine, "to_text"), text);
    EXPECT_EQ(*AddressOf<const char*>(*engine, "into_text"), text + 3);
    EXPECT_EQ(*AddressOf<const char*>(*engine, "before_text"), text - 5);
    EXPECT_EQ(*AddressOf<const char*>(*engine, "as_number"), text + 2);
    EXPECT_EQ(AddressOf<int (*)()>(*engine, "table")[0](), 5);
    EXPECT_EQ(AddressOf<const char*>(*engine, "table")[1], text);
    EXPECT_EQ(*AddressOf<void*>(*engine, "itself"), AddressOf<void>(*engine, "itself"));
    EXPECT_EQ(*AddressOf<void*>(*engine, "to_missing"), nullptr);
    const auto* distances = AddressOf<int32_t>(*engine, "distances");
    const auto* origin = reinterpret_cast<const char*>(distances);
    EXPECT_EQ(origin + distances[0], text);
    EXPECT_EQ(origin + 4 + distances[1], AddressOf<char>(*engine, "wide"));
  }
}

TEST(VariablesTest, NoTwoHaveTheSameAddress) {
  const std::unique_ptr<Engine> engine = EngineWith(Baseline::kOn);
  std::vector<void*> addresses;
  for (const Variable& variable : Variables()) {
    addresses.push_back(AddressOf<void>(*engine, variable.name));
  }
  std::sort(addresses.begin(), addresses.end());
  EXPECT_EQ(std::adjacent_find(addresses.begin(), addresses.end()), addresses.end());
}

// Entries of a list that is found by the bounds of its section, and data in sections with dots.
constexpr char kSections[] = R"(
  %entry = type { i32, ptr }
  @first = global %entry { i32 1, ptr @second }, section "entries", align 8
  @apart = global i32 7
  @second = internal global %entry zeroinitializer, section "entries", align 8
  @third = global %entry { i32 3, ptr @apart }, section "entries", align 8
  @byte = constant i8 1, section "packed", align 1
  @word = private constant i32 2, section "packed", align 1
  @read_only = constant ptr @apart, section ".rodata.mine"
  @written = global i64 9, section ".data.mine", align 64
  @__start_entries = external hidden global [0 x %entry]
  @__stop_entries = external hidden global [0 x %entry]
  @bounds = global [2 x ptr] [ptr @__start_entries, ptr @__stop_entries]
  @word_at = global ptr @word
  @used = global [1 x ptr] [ptr @second])";

TEST(VariablesTest, SectionsHaveTheOrderOfTheModule) {
  for (Baseline setting : {Baseline::kOn, Baseline::kOff}) {
    EngineOptions options;
    options.baseline = setting;
    const std::unique_ptr<Engine> engine = Engine::Create(options).value();
    ASSERT_THAT(engine->AddBitcode(ParseToBitcode(kSections), "program"), IsOk());
    const auto* const first = AddressOf<char>(*engine, "first");
    const auto* const bounds = AddressOf<const char*>(*engine, "bounds");
    EXPECT_EQ(bounds[0], first);
    EXPECT_EQ(bounds[1], first + 48);
    EXPECT_EQ(*AddressOf<const char*>(*engine, "used"), first + 16);
    EXPECT_EQ(AddressOf<char>(*engine, "third"), first + 32);
    EXPECT_EQ(AddressOf<void*>(*engine, "third")[1], AddressOf<void>(*engine, "apart"));
    EXPECT_EQ(*AddressOf<const char*>(*engine, "word_at"), AddressOf<char>(*engine, "byte") + 1);
    EXPECT_EQ(*AddressOf<void*>(*engine, "read_only"), AddressOf<void>(*engine, "apart"));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(AddressOf<void>(*engine, "written")) % 64, 0u);
  }
}

baseline::Refusal RefusalOf(const std::string& text) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  CompiledCode code;
  ir::LlvmReader reader;
  EXPECT_THAT(reader.Begin(*module), IsOk());
  return baseline::WriteVariables(reader.module(), /*emulates_thread_locals=*/false, code);
}

TEST(VariablesTest, SectionsAreWrittenWithoutLlvm) {
  EXPECT_EQ(RefusalOf(kSections), baseline::Refusal::kNone);
}

TEST(VariablesTest, SectionsOfLlvmsOwnAreLeftToLlvm) {
  const std::vector<std::string> unusual = {
      "@v = global i32 0, section \".bss.mine\"",
      "@v = global i32 1, section \".eh_frame\"",
      "@v = global i32 1, section \".database\"",
      "@v = global i32 1, section \"__DATA,mine\"",
      "@v = thread_local global i32 1, section \"mine\"",
      "@v = global [0 x i32] zeroinitializer, section \"mine\"",
      "@v = global i32 1, section \"mine\" @w = constant i32 1, section \"mine\"",
  };
  for (const std::string& text : unusual) {
    EXPECT_EQ(RefusalOf(text), baseline::Refusal::kVariable) << text;
  }
}

// What threads have of their own: their sum, and whether one is aligned as it asks to be.
constexpr char kThreadLocals[] = R"(
  @counted = thread_local global i32 5
  @words = internal thread_local(localdynamic) global [3 x i64] [i64 1, i64 2, i64 3], align 256
  @blanks = thread_local(localexec) global [100 x i8] zeroinitializer
  @pointer = thread_local constant ptr @number_of_all
  @unset = thread_local global i64 undef
  @number_of_all = global i32 70
  declare ptr @llvm.threadlocal.address.p0(ptr)
  define i64 @sum_of_own() {
    %number = call ptr @llvm.threadlocal.address.p0(ptr @counted)
    %a = load i32, ptr %number
    %more = add i32 %a, 1
    store i32 %more, ptr %number
    %words = call ptr @llvm.threadlocal.address.p0(ptr @words)
    %third = getelementptr i64, ptr %words, i64 2
    %b = load i64, ptr %third
    %blanks = call ptr @llvm.threadlocal.address.p0(ptr @blanks)
    %last = getelementptr i8, ptr %blanks, i64 99
    %c = load i8, ptr %last
    %pointer = call ptr @llvm.threadlocal.address.p0(ptr @pointer)
    %target = load ptr, ptr %pointer
    %d = load i32, ptr %target
    %undefined = call ptr @llvm.threadlocal.address.p0(ptr @unset)
    store i64 100, ptr %undefined
    %e = load i64, ptr %undefined
    %a64 = zext i32 %a to i64
    %c64 = zext i8 %c to i64
    %d64 = zext i32 %d to i64
    %s1 = add i64 %a64, %b
    %s2 = add i64 %s1, %c64
    %s3 = add i64 %s2, %d64
    %s4 = add i64 %s3, %e
    %place = ptrtoint ptr %words to i64
    %rest = and i64 %place, 255
    %s5 = add i64 %s4, %rest
    ret i64 %s5
  }
)";

TEST(VariablesTest, EachThreadHasItsOwn) {
  for (Baseline setting : {Baseline::kStrict, Baseline::kOff}) {
    EngineOptions options;
    options.baseline = setting;
    const std::unique_ptr<Engine> engine = Engine::Create(options).value();
    ASSERT_THAT(engine->AddBitcode(ParseToBitcode(kThreadLocals), "program"), IsOk());
    auto* const sum = reinterpret_cast<int64_t (*)()>(AddressOf<void>(*engine, "sum_of_own"));
    EXPECT_EQ(sum(), 5 + 3 + 70 + 100);
    EXPECT_EQ(sum(), 6 + 3 + 70 + 100);
    std::thread([sum] { EXPECT_EQ(sum(), 5 + 3 + 70 + 100); }).join();
  }
}

TEST(VariablesTest, AreWrittenWithoutLlvm) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(Program() + kThreadLocals, context);
  CompiledCode code;
  ir::LlvmReader reader;
  ASSERT_THAT(reader.Begin(*module), IsOk());
  EXPECT_EQ(baseline::WriteVariables(reader.module(), /*emulates_thread_locals=*/false, code),
            baseline::Refusal::kNone);
  size_t bytes = 0;
  for (const CodeSection& section : code.sections) bytes += section.bytes.size();
  EXPECT_LT(bytes, 4096u);  // What is zero takes no place.
}

// No distance to a thread-local variable is the same in each thread.
TEST(VariablesTest, DistancesFromThreadLocalVariablesAreNotWritten) {
  for (const char* storage : {"", "thread_local"}) {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module =
        ParseModule(std::string("@text = private constant [2 x i8] c\"a\\00\"\n"
                                "@table = private ") +
                        storage +
                        " constant [1 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @text to i64), "
                        "i64 ptrtoint (ptr @table to i64)) to i32)]",
                    context);
    CompiledCode code;
    ir::LlvmReader reader;
    ASSERT_THAT(reader.Begin(*module), IsOk());
    EXPECT_EQ(baseline::WriteVariables(reader.module(), /*emulates_thread_locals=*/false, code) ==
                  baseline::Refusal::kNone,
              *storage == '\0');
  }
}

}  // namespace
}  // namespace firstcall

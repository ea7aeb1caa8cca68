// More variables than lie within reach of code: in each mode, with each generator and code model.
// Their contents are compared with what C's rules say, and the memory that they take with what is
// written to them.

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr uint64_t kMiB = uint64_t{1} << 20;

// Of this process, in bytes.
uint64_t ResidentBytes() {
  uint64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

struct Kind {
  const char* name;
  Mode mode;
  Tier tier;
  Baseline baseline;
};

constexpr Kind kKinds[] = {
    {"Baseline", Mode::kLazy, Tier::kZero, Baseline::kOn},
    {"Llvm", Mode::kLazy, Tier::kZero, Baseline::kOff},
    {"Optimized", Mode::kLazy, Tier::kOne, Baseline::kOff},
    {"Eager", Mode::kEager, Tier::kZero, Baseline::kOff},
};

using Parameters = std::tuple<Kind, std::optional<CodeModel>>;

class LargeVariablesTest : public testing::TestWithParam<Parameters> {
 protected:
  void SetUp() override {
    const auto& [kind, model] = GetParam();
    options_.mode = kind.mode;
    options_.tier = kind.tier;
    options_.baseline = kind.baseline;
    options_.code_model = model;
  }

  std::unique_ptr<Engine> MakeEngine() { return Engine::Create(std::move(options_)).value(); }

  // Variables of `megabytes` each: internal, external, with aliases, with a pointer into another
  // one, all zero but constant, not all zero.
  static std::string Program(uint64_t megabytes) {
    return absl::StrReplaceAll(
        R"(
        @inner = internal global [SIZE x i8] zeroinitializer, align 16
        @outer = global [SIZE x i8] zeroinitializer
        @part = alias i8, getelementptr (i8, ptr @outer, i64 LAST)
        @last = global ptr getelementptr (i8, ptr @inner, i64 LAST)
        @zeros = internal constant [SIZE x i8] zeroinitializer
        @first = internal global { i8, [17825792 x i8] } { i8 7, [17825792 x i8] zeroinitializer }
        @pair = constant { i8, ptr, [17825792 x i8] }
            { i8 8, ptr @outer, [17825792 x i8] zeroinitializer }
        @small = internal global [1000 x i8] zeroinitializer
        define void @write(i8 %x) {
          store i8 %x, ptr getelementptr (i8, ptr @inner, i64 LAST)
          %y = add i8 %x, 1
          store i8 %y, ptr @part
          %z = add i8 %y, 1
          store i8 %z, ptr getelementptr (i8, ptr @small, i64 999)
          ret void
        }
        define i64 @sum() {
          %last = load ptr, ptr @last
          %i8 = load i8, ptr %last
          %o8 = load i8, ptr getelementptr (i8, ptr @outer, i64 LAST)
          %s8 = load i8, ptr getelementptr (i8, ptr @small, i64 999)
          %z8 = load volatile i8, ptr getelementptr (i8, ptr @zeros, i64 LAST)
          %f8 = load i8, ptr @first
          %p8 = load i8, ptr @pair
          %outer = load volatile ptr, ptr getelementptr ({ i8, ptr }, ptr @pair, i32 0, i32 1)
          %is_outer = icmp eq ptr %outer, @outer
          %extra = select i1 %is_outer, i64 1000, i64 0
          %i = zext i8 %i8 to i64
          %o = zext i8 %o8 to i64
          %s = zext i8 %s8 to i64
          %z = zext i8 %z8 to i64
          %f = zext i8 %f8 to i64
          %p = zext i8 %p8 to i64
          %1 = add i64 %i, %o
          %2 = add i64 %1, %s
          %3 = add i64 %2, %z
          %4 = add i64 %3, %f
          %5 = add i64 %4, %p
          %6 = add i64 %5, %extra
          ret i64 %6
        })",
        {{"SIZE", absl::StrCat(megabytes * kMiB)}, {"LAST", absl::StrCat(megabytes * kMiB - 1)}});
  }

  EngineOptions options_;
};

std::string NameOf(const testing::TestParamInfo<Parameters>& info) {
  const auto& [kind, model] = info.param;
  const std::string name(kind.name);
  if (!model) return name;
  return name + (*model == CodeModel::kLarge ? "LargeModel" : "MediumModel");
}

// AArch64 has no medium model.
#if defined(__x86_64__)
INSTANTIATE_TEST_SUITE_P(All, LargeVariablesTest,
                         testing::Combine(testing::ValuesIn(kKinds),
                                          testing::Values(std::nullopt, CodeModel::kMedium,
                                                          CodeModel::kLarge)),
                         NameOf);
#else
INSTANTIATE_TEST_SUITE_P(All, LargeVariablesTest,
                         testing::Combine(testing::ValuesIn(kKinds),
                                          testing::Values(std::nullopt, CodeModel::kLarge)),
                         NameOf);
#endif

TEST_P(LargeVariablesTest, GigabytesOfZerosTakeNoMemory) {
  const std::unique_ptr<Engine> engine = MakeEngine();
  const uint64_t before = ResidentBytes();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Program(3000)), "program"), IsOk());
  ASSERT_OK_AND_ASSIGN(auto* write, engine->Lookup<void(int8_t)>("write"));
  ASSERT_OK_AND_ASSIGN(auto* sum, engine->Lookup<int64_t()>("sum"));
  EXPECT_EQ(sum(), 7 + 8 + 1000);
  write(3);
  EXPECT_EQ(sum(), 3 + 4 + 5 + 7 + 8 + 1000);
  // The other two have 34 MiB, which are also in the module and in the object.
  if (!kSanitizerTakesMemory) {
    EXPECT_LT(ResidentBytes() - before, 500 * kMiB);
  }
}

TEST_P(LargeVariablesTest, AreReachedFromASmallArena) {
  options_.arena_sizes = SegmentSizes{8 * kMiB, 8 * kMiB, 8 * kMiB};
  const std::unique_ptr<Engine> engine = MakeEngine();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Program(20)), "program"), IsOk());
  ASSERT_OK_AND_ASSIGN(auto* write, engine->Lookup<void(int8_t)>("write"));
  ASSERT_OK_AND_ASSIGN(auto* sum, engine->Lookup<int64_t()>("sum"));
  write(3);
  EXPECT_EQ(sum(), 3 + 4 + 5 + 7 + 8 + 1000);
}

TEST_P(LargeVariablesTest, AnotherModuleReachesThem) {
  const std::unique_ptr<Engine> engine = MakeEngine();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Program(1500)), "program"), IsOk());
  const std::string user = absl::StrReplaceAll(
      R"(
      @outer = external global [SIZE x i8]
      define i8 @get() {
        %x = load i8, ptr getelementptr (i8, ptr @outer, i64 LAST)
        ret i8 %x
      })",
      {{"SIZE", absl::StrCat(1500 * kMiB)}, {"LAST", absl::StrCat(1500 * kMiB - 1)}});
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(user), "user"), IsOk());
  ASSERT_OK_AND_ASSIGN(auto* write, engine->Lookup<void(int8_t)>("write"));
  ASSERT_OK_AND_ASSIGN(auto* get, engine->Lookup<int8_t()>("get"));
  write(3);
  EXPECT_EQ(get(), 4);
}

// None of them is large by itself.
TEST_P(LargeVariablesTest, ManyVariablesLieAnywhereToo) {
  constexpr int kCount = 300;
  std::string text;
  for (int i = 0; i < kCount; ++i) {
    absl::StrAppend(&text, "@v", i, " = internal global [", 10 * kMiB + i,
                    " x i8] zeroinitializer\n");
  }
  absl::StrAppend(&text, "define i64 @count() {\n");
  for (int i = 0; i < kCount; ++i) absl::StrAppend(&text, "  store i8 1, ptr @v", i, "\n");
  absl::StrAppend(&text, "  %s0 = add i64 0, 0\n");
  for (int i = 0; i < kCount; ++i) {
    absl::StrAppend(&text, "  %b", i, " = load volatile i8, ptr @v", i, "\n  %x", i,
                    " = zext i8 %b", i, " to i64\n  %s", i + 1, " = add i64 %s", i, ", %x", i,
                    "\n");
  }
  absl::StrAppend(&text, "  ret i64 %s", kCount, "\n}\n");
  const std::unique_ptr<Engine> engine = MakeEngine();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(text), "program"), IsOk());
  ASSERT_OK_AND_ASSIGN(auto* count, engine->Lookup<int64_t()>("count"));
  EXPECT_EQ(count(), kCount);
}

TEST_P(LargeVariablesTest, AreGivenBackAndUsedAgainWithoutBeingWritten) {
  const std::unique_ptr<Engine> engine = MakeEngine();
  const uint64_t before = ResidentBytes();
  for (int round = 0; round < 3; ++round) {
    ASSERT_OK_AND_ASSIGN(const ModuleId module,
                         engine->AddBitcode(ParseToBitcode(Program(3000)), "program"));
    ASSERT_OK_AND_ASSIGN(auto* write, engine->Lookup<void(int8_t)>("write"));
    ASSERT_OK_AND_ASSIGN(auto* sum, engine->Lookup<int64_t()>("sum"));
    EXPECT_EQ(sum(), 7 + 8 + 1000);
    write(3);
    EXPECT_EQ(sum(), 3 + 4 + 5 + 7 + 8 + 1000);
    ASSERT_THAT(engine->Remove(module), IsOk());
  }
  if (!kSanitizerTakesMemory) {
    EXPECT_LT(ResidentBytes() - before, 500 * kMiB);
  }
}

// The distance of 32 bits from one variable to another one keeps both together.
TEST_P(LargeVariablesTest, WhatMustBeNearAndIsTooLargeIsAnError) {
  options_.arena_sizes = SegmentSizes{8 * kMiB, 8 * kMiB, 8 * kMiB};
  const std::unique_ptr<Engine> engine = MakeEngine();
  const absl::Status added =
      engine
          ->AddBitcode(ParseToBitcode(absl::StrReplaceAll(R"(
      @large = global [SIZE x i8] zeroinitializer
      @distance = global i32 trunc (i64 sub (i64 ptrtoint (ptr @large to i64),
                                             i64 ptrtoint (ptr @distance to i64)) to i32)
      define i32 @get() {
        %x = load i32, ptr @distance
        ret i32 %x
      })",
                                                          {{"SIZE", absl::StrCat(5000 * kMiB)}})),
                       "program")
          .status();
  const absl::Status status = added.ok() ? engine->Prepare({"get"}) : added;
  EXPECT_THAT(status,
              AnyOf(StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("bytes for section")),
                    // Where it is found when the references of a whole module are bound.
                    StatusIs(absl::StatusCode::kInternal, HasSubstr("is out of reach"))));
}

}  // namespace
}  // namespace firstcall

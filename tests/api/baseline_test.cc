// Which functions of an engine the baseline code generator compiles.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "cache/object_cache.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr char kProgram[] = R"(
  define i32 @covered(i32 %x) { %y = add i32 %x, 1 ret i32 %y }
  define i32 @assembly(i32 %x) {
    %y = call i32 asm alignstack "nop", "=r,0"(i32 %x)
    ret i32 %y
  })";

std::unique_ptr<Engine> EngineWith(Baseline baseline) {
  EngineOptions options;
  options.baseline = baseline;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  EXPECT_THAT(engine->AddBitcode(ParseToBitcode(kProgram), "program"), IsOk());
  return engine;
}

int Call(Engine& engine, const std::string& name, int argument) {
  return engine.Lookup<int(int)>(name).value()(argument);
}

TEST(BaselineTest, CompilesWhatItCoversAndLlvmTheRest) {
  const std::unique_ptr<Engine> engine = EngineWith(Baseline::kOn);
  EXPECT_EQ(Call(*engine, "covered", 1), 2);
  EXPECT_EQ(Call(*engine, "assembly", 5), 5);
  const Stats stats = engine->stats();
  EXPECT_EQ(stats.functions_compiled, 2u);
  EXPECT_EQ(stats.functions_baseline, 1u);
  EXPECT_THAT(stats.baseline_refusals, ElementsAre(Pair("inline assembly", 1)));
  EXPECT_THAT(stats.ToString(), HasSubstr("not by baseline              1  inline assembly\n"));
}

// Remembers the objects that are made, among what is stored.
class ObjectLog : public ObjectCache {
 public:
  std::optional<Bytes> Find(const ObjectKey&) override { return std::nullopt; }
  void Store(const ObjectKey&, Bytes object) override {
    if (absl::StrContains(object, "\177ELF")) objects.emplace_back(object);
  }

  std::vector<std::string> objects;
};

TEST(BaselineTest, WritesTheVariables) {
  for (Baseline baseline : {Baseline::kOn, Baseline::kOff}) {
    const auto log = std::make_shared<ObjectLog>();
    EngineOptions options;
    options.baseline = baseline;
    options.object_cache = log;
    const std::unique_ptr<Engine> engine = Engine::Create(options).value();
    ASSERT_THAT(engine->AddBitcode(ParseToBitcode("@v = global i32 7"), "program"), IsOk());
    EXPECT_EQ(*static_cast<int*>(engine->LookupAddress("v").value()), 7);
    ASSERT_EQ(log->objects.size(), 1u);
    // A section that only LLVM writes.
    EXPECT_EQ(absl::StrContains(log->objects.front(), ".note.GNU-stack"),
              baseline == Baseline::kOff);
  }
}

TEST(BaselineTest, FailsInsteadIfItIsStrict) {
  const std::unique_ptr<Engine> engine = EngineWith(Baseline::kStrict);
  EXPECT_EQ(Call(*engine, "covered", 1), 2);
  EXPECT_THAT(engine->Prepare({"assembly"}),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "compiling function 'assembly': the baseline code generator does not cover "
                       "it: inline assembly"));
}

// Found out only while code is emitted.
TEST(BaselineTest, LeavesToLlvmWhatNeedsMoreRegistersThanThereAre) {
  constexpr char kWide[] = R"(
    define i64 @f(i64 %a) {
      %w = zext i64 %a to i128
      %x = shl i128 %w, 50
      %y = mul i128 %x, %w
      %z = lshr i128 %y, %w
      %r = trunc i128 %z to i64
      ret i64 %r
    })";
  for (const bool has_few_registers : {false, true}) {
    EngineOptions options;
    options.baseline_has_few_registers = has_few_registers;
    const std::unique_ptr<Engine> engine = Engine::Create(options).value();
    ASSERT_THAT(engine->AddBitcode(ParseToBitcode(kWide), "program"), IsOk());
    EXPECT_EQ(engine->Lookup<int64_t(int64_t)>("f").value()(8), int64_t{1} << 48);
    if (has_few_registers) {
      EXPECT_THAT(engine->stats().baseline_refusals, ElementsAre(Pair("too few registers", 1)));
    } else {
      EXPECT_EQ(engine->stats().functions_baseline, 1u);
    }
  }
}

TEST(BaselineTest, StrictIsForTargetsThatItSupports) {
  EngineOptions options;
  options.baseline = Baseline::kStrict;
  options.codegen_level = CodegenLevel::kO2;
  EXPECT_THAT(Engine::Create(options).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "choosing a target: the baseline code generator does not support optimized "
                       "code"));
  options.baseline = Baseline::kOn;
  EXPECT_THAT(Engine::Create(options).status(), IsOk());
}

TEST(BaselineTest, CompilesNothingIfItIsOff) {
  const std::unique_ptr<Engine> engine = EngineWith(Baseline::kOff);
  EXPECT_EQ(Call(*engine, "covered", 1), 2);
  EXPECT_EQ(Call(*engine, "assembly", 5), 5);
  EXPECT_EQ(engine->stats().functions_baseline, 0u);
  EXPECT_THAT(engine->stats().baseline_refusals, IsEmpty());
}

}  // namespace
}  // namespace firstcall

// The floating-point environment is the program's: what an engine does on a program's thread
// neither shows in it nor depends on it, and code of the program that runs meanwhile has it.

#include <cfenv>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Not;

// Of the program, where code of its own is called from within a compile.
std::vector<int> roundings;
void See() {
  roundings.push_back(std::fegetround());
  std::feraiseexcept(FE_INVALID);
}

extern "C" {
int firstcall_test_value() { return 40; }
void firstcall_test_see() { See(); }
}

// With a loop that gets hot.
constexpr char kText[] = R"(
  declare i32 @firstcall_test_found()
  declare void @firstcall_test_see()
  define i32 @f(i32 %n) {
  entry:
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %next, %loop ]
    %next = add i32 %i, 1
    %more = icmp slt i32 %next, %n
    br i1 %more, label %loop, label %done
  done:
    %r = call i32 @g(i32 %i)
    ret i32 %r
  }
  define i32 @g(i32 %x) {
    %found = call i32 @firstcall_test_found()
    %r = add i32 %found, %x
    ret i32 %r
  }
  define i32 @not_called(i32 %x) { ret i32 %x }
  define ptr @resolve() { call void @firstcall_test_see() ret ptr @not_called }
)";

struct Case {
  Mode mode;
  Tier tier;
  size_t compile_threads;
};

class FloatingPointTest : public testing::TestWithParam<Case> {
 protected:
  FloatingPointTest() { roundings.clear(); }
  ~FloatingPointTest() override { std::fesetenv(FE_DFL_ENV); }

  static EngineOptions Options() {
    EngineOptions options;
    options.mode = GetParam().mode;
    options.tier = GetParam().tier;
    options.compile_threads = GetParam().compile_threads;
    options.promotion.threads = 0;  // On the thread that polls.
    options.promotion.threshold = 1;
    options.symbol_finder = [](absl::string_view name) -> void* {
      See();
      return name == "firstcall_test_found" ? reinterpret_cast<void*>(&firstcall_test_value)
                                            : nullptr;
    };
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Cases, FloatingPointTest,
                         testing::Values(Case{Mode::kLazy, Tier::kZero, 0},
                                         Case{Mode::kLazy, Tier::kOne, 0},
                                         Case{Mode::kLazy, Tier::kAuto, 0},
                                         Case{Mode::kLazy, Tier::kAuto, 2},
                                         Case{Mode::kEager, Tier::kZero, 0}));

TEST_P(FloatingPointTest, NothingThatAnEngineDoesRaisesAnException) {
  EngineOptions options = Options();
  options.symbol_finder = [](absl::string_view name) -> void* {
    return name == "firstcall_test_found" ? reinterpret_cast<void*>(&firstcall_test_value)
                                          : nullptr;
  };
  std::feclearexcept(FE_ALL_EXCEPT);
  const auto raised = [] { return std::fetestexcept(FE_ALL_EXCEPT); };
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  EXPECT_EQ(raised(), 0);
  ASSERT_OK_AND_ASSIGN(const ModuleId id, engine->AddAssembly(kText, "module"));
  EXPECT_EQ(raised(), 0);
  ASSERT_OK_AND_ASSIGN(const auto f, engine->Lookup<int(int)>("f"));
  EXPECT_EQ(raised(), 0);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(f(1000), 1039);
    ASSERT_EQ(raised(), 0) << "in call " << i;
  }
  ASSERT_THAT(engine->PrepareAll(), IsOk());
  EXPECT_EQ(raised(), 0);
  EXPECT_THAT(engine->AddAssembly("nonsense", "wrong"), Not(IsOk()));
  EXPECT_EQ(raised(), 0);
  ASSERT_THAT(engine->Remove(id), IsOk());
  EXPECT_EQ(raised(), 0);
  engine = nullptr;
  EXPECT_EQ(raised(), 0);
}

TEST_P(FloatingPointTest, ProgramsCodeHasTheProgramsEnvironment) {
  std::fesetround(FE_UPWARD);
  std::feclearexcept(FE_ALL_EXCEPT);
  std::unique_ptr<Engine> engine = Engine::Create(Options()).value();
  ASSERT_THAT(
      engine->AddAssembly(std::string(kText) + "@i = ifunc i32 (i32), ptr @resolve", "module"),
      IsOk());
  ASSERT_OK_AND_ASSIGN(const auto i, engine->Lookup<int(int)>("i"));
  EXPECT_EQ(i(3), 3);
  ASSERT_OK_AND_ASSIGN(const auto f, engine->Lookup<int(int)>("f"));
  EXPECT_EQ(f(1000), 1039);
  EXPECT_THAT(roundings, Not(IsEmpty()));
  EXPECT_THAT(roundings, Each(FE_UPWARD));
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_INVALID);  // What that code has raised.
}

int Zero(int) { return 0; }

TEST_P(FloatingPointTest, FailureHandlersHaveTheProgramsEnvironment) {
  if (GetParam().mode == Mode::kEager) GTEST_SKIP() << "nothing fails when it is called";
  EngineOptions options = Options();
  options.failure_handler = [](const FailedCall&) -> void* {
    See();
    return reinterpret_cast<void*>(&Zero);
  };
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  ASSERT_THAT(engine->AddAssembly("declare i32 @firstcall_test_nowhere(i32)"
                                  "define i32 @f(i32 %x) { %r = call i32 "
                                  "@firstcall_test_nowhere(i32 %x) ret i32 %r }",
                                  "module"),
              IsOk());
  ASSERT_OK_AND_ASSIGN(const auto f, engine->Lookup<int(int)>("f"));
  std::fesetround(FE_DOWNWARD);
  std::feclearexcept(FE_ALL_EXCEPT);
  roundings.clear();
  EXPECT_EQ(f(5), 0);
  EXPECT_THAT(roundings, Not(IsEmpty()));
  EXPECT_THAT(roundings, Each(FE_DOWNWARD));
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), FE_INVALID);
}

#if defined(__x86_64__)
TEST_P(FloatingPointTest, NothingTraps) {
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INEXACT | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID | FE_DIVBYZERO);
  EngineOptions options = Options();
  options.symbol_finder = [](absl::string_view name) -> void* {
    return name == "firstcall_test_found" ? reinterpret_cast<void*>(&firstcall_test_value)
                                          : nullptr;
  };
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  ASSERT_THAT(engine->AddAssembly(kText, "module"), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto f, engine->Lookup<int(int)>("f"));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(f(1000), 1039);
  engine = nullptr;
  EXPECT_EQ(fegetexcept(), FE_ALL_EXCEPT);
  fedisableexcept(FE_ALL_EXCEPT);
}
#endif

}  // namespace
}  // namespace firstcall

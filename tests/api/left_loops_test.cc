// First bodies are left at every loop, at several iterations, for continuations: what a program
// does stays the same. The programs are those of the tests of continuations.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/engine.h"
#include "engine/options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "memory/memory_manager.h"
#include "tests/api/promotion.h"
#include "tests/splitter/osr/continuation_programs.h"
#include "tests/splitter/osr/reference_jit.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

std::vector<int64_t> traced;
BetterBodies* better = nullptr;
size_t traced_by_better = 0;
int32_t* kept = nullptr;

struct Outcome {
  int64_t result = 0;
  std::vector<int64_t> trace;

  bool operator==(const Outcome& other) const {
    return result == other.result && trace == other.trace;
  }
  friend void PrintTo(const Outcome& outcome, std::ostream* stream) {
    *stream << outcome.result << " and " << ::testing::PrintToString(outcome.trace);
  }
};

Outcome Observe(int64_t (*run)(int64_t), int64_t argument) {
  traced.clear();
  kept = nullptr;
  Outcome outcome;
  try {
    outcome.result = run(argument);
  } catch (int64_t thrown) {
    outcome.result = -1000 - thrown;
  }
  outcome.trace = traced;
  return outcome;
}

}  // namespace

// What programs call.
extern "C" {
void trace(int64_t value) {
  traced.push_back(value);
  if (better != nullptr && better->Contains(__builtin_return_address(0))) ++traced_by_better;
}
void keep(int32_t* address) { kept = address; }
void bump() { ++*kept; }
void throw_if(int64_t value) {
  if (value != 0) throw value;
}
}

namespace {

// Programs whose function traces in the loop, so that its continuation does.
bool TracesInItsLoop(absl::string_view program) {
  return program == "Variables" || program == "LabelLater" || program == "NullLabel" ||
         program == "Joined";
}

constexpr int64_t kArguments[] = {0, 1, 2, 9, 13};  // Some programs have arrays of 16.

class LeftLoopsTest
    : public ::testing::TestWithParam<std::tuple<ContinuationProgram, /*is_near=*/bool>> {};

// Without promotion threads, a loop whose poll asks goes on in its continuation at once. So the
// threshold says at which iteration a loop is left.
TEST_P(LeftLoopsTest, ChangeNothing) {
  const auto& [program, is_near] = GetParam();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(program.text, context);
  ASSERT_NE(module, nullptr);
  module->setDataLayout(ReferenceDataLayout());
  ReferenceJit jit(std::move(module), /*optimize=*/false, {});
  auto* const reference = jit.Address<int64_t(int64_t)>("run");
  ASSERT_NE(reference, nullptr);
  uint64_t entered = 0;
  traced_by_better = 0;
  for (uint32_t threshold : {1, 2, 3, 4, 7, 12}) {
    const auto bodies = std::make_shared<BetterBodies>();
    EngineOptions options;
    options.listeners.push_back(bodies);
    options.tier = Tier::kAuto;
    options.promotion.threads = 0;
    options.promotion.threshold = threshold;
    // With a client's memory manager, modules are compiled to lie anywhere.
    if (!is_near) options.memory_manager = [](std::shared_ptr<MemoryManager> own) { return own; };
    for (int64_t argument : kArguments) {
      SCOPED_TRACE(absl::StrCat("threshold ", threshold, ", argument ", argument));
      ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Engine> engine, Engine::Create(options));
      ASSERT_THAT(engine->AddBitcode(ParseToBitcode(program.text), "program").status(), IsOk());
      ASSERT_OK_AND_ASSIGN(auto* const run, engine->Lookup<int64_t(int64_t)>("run"));
      better = bodies.get();
      const Outcome outcome = Observe(run, argument);
      better = nullptr;
      EXPECT_EQ(outcome, Observe(reference, argument));
      for (const FunctionHotness& function : engine->stats().promotions.functions) {
        EXPECT_EQ(function.last_failure, "") << function.function;
        EXPECT_EQ(function.last_kept, "") << function.function;
        entered += function.loops_entered;
      }
    }
  }
  EXPECT_GE(entered, 4u);
  if (TracesInItsLoop(program.name)) {
    EXPECT_GT(traced_by_better, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, LeftLoopsTest,
                         ::testing::Combine(::testing::ValuesIn(ContinuationPrograms()),
                                            ::testing::Bool()),
                         [](const ::testing::TestParamInfo<LeftLoopsTest::ParamType>& info) {
                           return absl::StrCat(std::get<0>(info.param).name,
                                               std::get<1>(info.param) ? "" : "Far");
                         });

}  // namespace
}  // namespace firstcall

// What a debugger is told of while a program calls thousands of functions, counted. A debugger
// takes time for each object that it is told of, and for each that it knows already, so what it
// visits is the sum over all registrations of the number of objects that are registered then.

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/api/counting_debugger.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

enum class Order { kOfTheModule, kRandom };

// A function of which nobody can see which others it calls.
std::string Functions(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    absl::StrAppend(&text, "define i64 @f", i, "(i64 %x) { %y = add i64 %x, ", i,
                    " ret i64 %y }\n");
  }
  return ParseToBitcode(text);
}

// What the debugger is told of while `count` functions are called, each once. How many functions
// are compiled along depends on all registrations of the process, so this is for one call a
// process.
Told CallAll(size_t count, Order order) {
  EngineOptions options;
  options.tier = Tier::kZero;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  const CountingDebugger debugger;  // After the engine, which installs LLVM's listener.
  EXPECT_THAT(engine->AddBitcode(Functions(count), "many"), IsOk());
  std::vector<size_t> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = i;
  if (order == Order::kRandom) {
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(1));
  }
  for (const size_t i : numbers) {
    const auto function = engine->Lookup<int64_t(int64_t)>(absl::StrCat("f", i)).value();
    EXPECT_EQ(function(1), static_cast<int64_t>(i) + 1);
  }
  EXPECT_EQ(engine->stats().functions_compiled, count);
  return debugger.told();
}

// Runs CallAll in a process of its own.
Told CallAllInChild(size_t count, Order order) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Told told = CallAll(count, order);
    const bool is_written = write(ends[1], &told, sizeof(told)) == sizeof(told);
    _exit(is_written && !::testing::Test::HasFailure() ? 0 : 1);
  }
  close(ends[1]);
  Told told;
  EXPECT_EQ(read(ends[0], &told, sizeof(told)), static_cast<ssize_t>(sizeof(told)));
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return told;
}

class DebuggerGrowthTest : public ::testing::TestWithParam<Order> {};

TEST_P(DebuggerGrowthTest, TenThousandFunctionsTakeInProportionToTheirNumber) {
  const Told quarter = CallAllInChild(2500, GetParam());
  const Told half = CallAllInChild(5000, GetParam());
  const Told all = CallAllInChild(10000, GetParam());
  for (const auto& [fewer, more] : {std::pair(quarter, half), std::pair(half, all)}) {
    EXPECT_GT(fewer.objects, 256u);
    EXPECT_LE(more.visits, 2 * fewer.visits);
    EXPECT_LE(more.bytes, 2 * fewer.bytes);
  }
  // One registration a function would be 50 million visits.
  EXPECT_LT(all.objects, 10000u / 10);
  EXPECT_LT(all.visits, 500000u);
  RecordProperty("objects", static_cast<int>(all.objects));
  RecordProperty("visits", static_cast<int>(all.visits));
}

INSTANTIATE_TEST_SUITE_P(Orders, DebuggerGrowthTest,
                         ::testing::Values(Order::kOfTheModule, Order::kRandom));

}  // namespace
}  // namespace firstcall

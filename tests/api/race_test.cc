// Many threads call the same functions for the first time at once.

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

#if defined(ABSL_HAVE_THREAD_SANITIZER) || defined(ABSL_HAVE_ADDRESS_SANITIZER)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

const bool kIsSlow = kIsSanitized || IsEmulated();
const int kThreads = kIsSlow ? 16 : 64;
const int kFunctions = kIsSlow ? 500 : 10000;

// A hundred rounds take minutes: bazel test //tests/api:race_test --test_env=RACE_ROUNDS=100
int Rounds() {
  const char* rounds = std::getenv("RACE_ROUNDS");
  return rounds != nullptr ? std::atoi(rounds) : kIsSlow ? 3 : 5;
}

// Each function returns its number.
const std::string& Bitcode() {
  static const std::string* const bitcode = [] {
    std::string text;
    for (int i = 0; i < kFunctions; ++i) {
      absl::StrAppend(&text, "define i32 @f", i, "() { ret i32 ", i, " }\n");
    }
    absl::StrAppend(&text, "@table = constant [", kFunctions, " x ptr] [");
    for (int i = 0; i < kFunctions; ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", "ptr @f", i);
    return new std::string(ParseToBitcode(absl::StrCat(text, "]")));
  }();
  return *bitcode;
}

void Race(size_t compile_threads) {
  EngineOptions options;
  options.compile_threads = compile_threads;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  ASSERT_THAT(engine->AddBitcode(Bitcode(), "functions"), IsOk());
  auto* const* table = static_cast<int (**)()>(engine->LookupAddress("table").value());
  std::atomic<bool> go{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      while (!go) std::this_thread::yield();
      // Neighbours run together; the others meet them elsewhere.
      const int start = t / 2 * (kFunctions / kThreads);
      for (int k = 0; k < kFunctions; ++k) {
        const int i = (start + k) % kFunctions;
        if (table[i]() != i) ++wrong;
      }
    });
  }
  go = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(engine->stats().functions_compiled, static_cast<size_t>(kFunctions));
}

TEST(RaceTest, EachFunctionIsCompiledExactlyOnceByWhoeverCallsIt) {
  for (int round = 0; round < Rounds(); ++round) Race(/*compile_threads=*/0);
}

TEST(RaceTest, EachFunctionIsCompiledExactlyOnceByCompileThreads) {
  for (int round = 0; round < (Rounds() + 9) / 10; ++round) Race(/*compile_threads=*/2);
}

}  // namespace
}  // namespace firstcall

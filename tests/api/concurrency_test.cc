// Many threads, one compile for each function.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr int kFunctions = 300;
constexpr int kThreads = 8;

// Functions that read and write data, call each other on some ways, and name strings.
std::string Program() {
  std::string text =
      "@total = global i64 0\n@text = private unnamed_addr constant [2 x i8] c\"x\\00\"\n";
  for (int i = 0; i < kFunctions; ++i) {
    absl::StrAppend(&text, "define i64 @f", i, "(i64 %x) {\n",
                    "  %odd = trunc i64 %x to i1\n  br i1 %odd, label %a, label %b\n",
                    "a:\n  %less = sub i64 %x, 1\n  %r = call i64 @f", (i * 7 + 1) % kFunctions,
                    "(i64 %less)\n  %s = add i64 %r, ", i, "\n  ret i64 %s\n",
                    "b:\n  %c = load i8, ptr @text\n",
                    "  %old = atomicrmw add ptr @total, i64 1 seq_cst\n  ret i64 ", i, "\n}\n");
  }
  return text;
}

class ConcurrencyTest : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Sources, ConcurrencyTest, testing::Bool(), [](const auto& from_bitcode) {
  return from_bitcode.param ? "Bitcode" : "InMemory";
});

TEST_P(ConcurrencyTest, EachFunctionIsCompiledOnce) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  if (GetParam()) {
    ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Program()), "program"), IsOk());
  } else {
    ASSERT_THAT(engine->AddAssembly(Program(), "program"), IsOk());
  }
  std::atomic<int> wrong{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      while (!go) std::this_thread::yield();
      for (int k = 0; k < kFunctions; ++k) {
        const int i = (k * (2 * t + 1)) % kFunctions;  // Each thread in an order of its own.
        auto function = engine->Lookup<int64_t(int64_t)>(absl::StrCat("f", i));
        if (!function.ok() || (*function)(1) != (i * 7 + 1) % kFunctions + i) ++wrong;
      }
    });
  }
  go = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(engine->stats().functions_compiled, static_cast<size_t>(kFunctions));
  EXPECT_EQ(*static_cast<int64_t*>(engine->LookupAddress("total").value()), kThreads * kFunctions);
}

}  // namespace
}  // namespace firstcall

// Many threads, one compile for each function.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Module.h"
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

// Calls `action` when the first module is made, in the compile.
class FirstModule final : public Listener {
 public:
  explicit FirstModule(std::function<void()> action) : action_(std::move(action)) {}
  bool sees_modules() const override { return true; }
  void OnModuleMade(const llvm::Module&) override {
    if (!is_made_.exchange(true)) action_();
  }

 private:
  const std::function<void()> action_;
  std::atomic<bool> is_made_{false};
};

// Simplifying a body may add a variable to the view that it is in (the text without its newline),
// and another thread must not get a view that is made from that.
TEST_P(ConcurrencyTest, WhatOneThreadSimplifiesDoesNotChangeWhatAnotherOneCompiles) {
  constexpr char kProgram[] = R"(
    @text = private unnamed_addr constant [2 x i8] c"x\0A"
    declare i32 @printf(ptr, ...)
    @message = private unnamed_addr constant [3 x i8] c"x\0A\00"
    @kept = alias i32 (), ptr @three
    define void @hello() { %r = call i32 (ptr, ...) @printf(ptr @message) ret void }
    define void @greet() { call void @hello() ret void }
    define i32 @one() { ret i32 1 }
    define i32 @two() { ret i32 2 }
    define i32 @three() { ret i32 3 })";
  std::unique_ptr<Engine> engine;
  std::thread other;
  std::vector<int> results;
  const auto listener = std::make_shared<FirstModule>([&] {
    other = std::thread([&] {
      for (const char* name : {"one", "two", "three"}) {
        results.push_back(engine->Lookup<int()>(name).value()());
      }
    });
    // Time for it to begin a compile, in the context of its own that this one leaves it.
    absl::SleepFor(absl::Milliseconds(50));
  });
  EngineOptions options;
  options.tier = Tier::kOne;
  options.listeners = {listener};
  engine = Engine::Create(options).value();
  if (GetParam()) {
    ASSERT_THAT(engine->AddBitcode(ParseToBitcode(kProgram), "program"), IsOk());
  } else {
    ASSERT_THAT(engine->AddAssembly(kProgram, "program"), IsOk());
  }
  engine->Lookup<void()>("greet").value()();
  other.join();
  EXPECT_THAT(results, testing::ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace firstcall

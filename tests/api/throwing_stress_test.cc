// Threads throw through functions that are compiled, promoted and removed meanwhile: each exception
// reaches its handler. (libgcc 12 reads what it knows of unwind tables without a lock while other
// threads change that.) --seconds=60 is for long runs.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr int kThreads = 8;
constexpr int kFunctions = 1000;         // That all threads throw through.
constexpr int kFunctionsOfAModule = 20;  // Of those that come and go.
constexpr size_t kModulesOfAThread = 3;  // At a time, but for the one in work.

absl::Duration length_of_a_run = absl::Seconds(2);

extern "C" void firstcall_test_throw_number(int64_t number) { throw number; }

// passes<i>(n) throws n, and catches<i>(n) catches it and returns n + i.
std::string Program(const std::string& name, int functions) {
  std::string text = R"(
    declare void @firstcall_test_throw_number(i64)
    declare i32 @__gxx_personality_v0(...)
    declare ptr @__cxa_begin_catch(ptr)
    declare void @__cxa_end_catch()
  )";
  for (int i = 0; i < functions; ++i) {
    absl::StrAppend(
        &text, absl::StrReplaceAll(R"(
    define void @passes$N(i64 %n) uwtable noinline {
      call void @firstcall_test_throw_number(i64 %n)
      ret void
    }
    define i64 @catches$N(i64 %n) uwtable personality ptr @__gxx_personality_v0 {
      invoke void @passes$N(i64 %n) to label %no unwind label %caught
    no:
      ret i64 -1
    caught:
      %pad = landingpad { ptr, i32 } catch ptr null
      %exception = extractvalue { ptr, i32 } %pad, 0
      %object = call ptr @__cxa_begin_catch(ptr %exception)
      %value = load i64, ptr %object
      call void @__cxa_end_catch()
      %sum = add i64 %value, $I
      ret i64 %sum
    }
    )",
                                   {{"$N", absl::StrCat(name, "_", i)}, {"$I", absl::StrCat(i)}}));
  }
  return text;
}

using Catches = int64_t(int64_t);

class ThrowingStressTest : public testing::TestWithParam<Tier> {
 protected:
  ThrowingStressTest() {
    EngineOptions options;
    options.tier = GetParam();
    options.promotion.threads = 1;
    options.promotion.threshold = 20;
    engine_ = Engine::Create(options).value();
  }

  std::vector<Catches*> Functions(const std::string& name, int count) {
    std::vector<Catches*> functions;
    for (int i = 0; i < count; ++i) {
      functions.push_back(engine_->Lookup<Catches>(absl::StrCat("catches", name, "_", i)).value());
    }
    return functions;
  }

  void ThrowThrough(const std::vector<Catches*>& functions, size_t first, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const size_t which = (first + i) % functions.size();
      const auto number = static_cast<int64_t>(i * 1000);
      if (functions[which](number) != number + static_cast<int64_t>(which)) ++wrong_;
      ++thrown_;
    }
  }

  void Work(int thread, const std::vector<Catches*>& shared) {
    std::deque<ModuleId> modules;
    const absl::Time end = absl::Now() + length_of_a_run;
    for (int round = 0; absl::Now() < end; ++round) {
      const std::string name = absl::StrCat("_", thread, "_", round);
      absl::StatusOr<ModuleId> id =
          engine_->AddBitcode(ParseToBitcode(Program(name, kFunctionsOfAModule)), name);
      ASSERT_THAT(id, IsOk());
      const std::vector<Catches*> own = Functions(name, kFunctionsOfAModule);
      for (int time = 0; time < 3; ++time) {
        ThrowThrough(own, 0, own.size());
        // All threads start elsewhere and get everywhere.
        ThrowThrough(shared, (thread * 125) + (round * 50), 50);
      }
      modules.push_back(*id);
      if (modules.size() <= kModulesOfAThread) continue;
      ASSERT_THAT(engine_->Remove(modules.front()), IsOk());
      modules.pop_front();
    }
  }

  std::unique_ptr<Engine> engine_;
  std::atomic<int> wrong_{0};
  std::atomic<uint64_t> thrown_{0};
};

INSTANTIATE_TEST_SUITE_P(Tiers, ThrowingStressTest,
                         testing::Values(Tier::kAuto, Tier::kZero, Tier::kOne));

TEST_P(ThrowingStressTest, EachExceptionReachesItsHandler) {
  ASSERT_THAT(engine_->AddBitcode(ParseToBitcode(Program("", kFunctions)), "shared"), IsOk());
  const std::vector<Catches*> shared = Functions("", kFunctions);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&, t] { Work(t, shared); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong_, 0);
  EXPECT_GT(thrown_, 0u);
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    int seconds;
    if (absl::ConsumePrefix(&argument, "--seconds=") && absl::SimpleAtoi(argument, &seconds)) {
      firstcall::length_of_a_run = absl::Seconds(seconds);
      continue;
    }
    std::fprintf(stderr, "unknown argument '%s'\n", argv[i]);
    return 2;
  }
  return RUN_ALL_TESTS();
}

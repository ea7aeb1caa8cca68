// Promotion while modules are removed and detached, the process forks or exits, and signals come.

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "cache/disk_cache.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/page_mapper.h"
#include "stubs/stub_table.h"
#include "tests/api/promotion.h"
#include "tests/testing/forwarding_mapper.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

std::atomic<bool> may_end{false};
std::atomic<int> waiting{0};
extern "C" int firstcall_test_may_end() {
  ++waiting;
  return may_end ? 1 : 0;
}

std::unique_ptr<Engine> Make(PromotionWay way, uint32_t threshold) {
  EngineOptions options;
  options.tier = Tier::kAuto;
  SetWay(way, options.promotion);
  options.promotion.threshold = threshold;
  return Engine::Create(std::move(options)).value();
}

// sum<i>(n) is 0 + 1 + ... + (n - 1) + i, for i from 0 to `count` - 1.
std::string Sums(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    absl::StrAppend(&text, "define i64 @sum", i, R"((i64 %n) {
      entry:
        br label %loop
      loop:
        %k = phi i64 [ 0, %entry ], [ %k2, %body ]
        %sum = phi i64 [ )",
                    i, R"(, %entry ], [ %sum2, %body ]
        %more = icmp slt i64 %k, %n
        br i1 %more, label %body, label %end
      body:
        %sum2 = add i64 %sum, %k
        %k2 = add i64 %k, 1
        br label %loop
      end:
        ret i64 %sum
      }
      )");
  }
  return text;
}

using Sum = int64_t (*)(int64_t);

Sum Get(const Engine& engine, int i) {
  return const_cast<Engine&>(engine).Lookup<int64_t(int64_t)>(absl::StrCat("sum", i)).value();
}

// From now on stubs are reused, so that further modules that are added and removed take no more
// memory.
void RetireAsManyStubsAsAreKept(Engine& engine) {
  const int count = static_cast<int>(StubTable::kKeptRetired) + 100;
  const ModuleId id = engine.AddBitcode(ParseToBitcode(Sums(count)), "retired").value();
  for (int i = 0; i < count; ++i) Get(engine, i);
  ASSERT_THAT(engine.Remove(id), IsOk());
}

class PromotionLifetimeTest : public ::testing::TestWithParam<PromotionWay> {};

INSTANTIATE_TEST_SUITE_P(Ways, PromotionLifetimeTest, ::testing::ValuesIn(kPromotionWays),
                         NameOfWay);

// --- Modules that go ---

TEST_P(PromotionLifetimeTest, ModulesAreRemovedWhileTheirFunctionsAreMadeBetter) {
  std::unique_ptr<Engine> engine = Make(GetParam(), 1);
  const std::string bitcode = ParseToBitcode(Sums(10));
  RetireAsManyStubsAsAreKept(*engine);
  size_t used = 0;
  // On a busy machine a thread may need many rounds until it has optimized a function in time.
  const auto must_go_on = [&](int round) {
    return round < 20 || (GetParam() == PromotionWay::kCallerAsks && round < 2000 &&
                          engine->stats().promotions_made == 0);
  };
  for (int round = 0; must_go_on(round); ++round) {
    const ModuleId id = engine->AddBitcode(bitcode, "sums").value();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(Get(*engine, i)(20), 190 + i);
    ASSERT_THAT(engine->Remove(id), IsOk());
    if (round == 0) used = engine->stats().memory.used.total();
    EXPECT_TRUE(engine->stats().promotions.functions.empty());
  }
  // Blocks of counters stay, to be used again; how many there are at once varies.
  EXPECT_LE(engine->stats().memory.used.total(), used + 20000);
  // Where a thread looks, it waits while there is so much to compile.
  if (GetParam() != PromotionWay::kThreadLooks) {
    EXPECT_GT(engine->stats().promotions_made, 0u);
  }
}

TEST_P(PromotionLifetimeTest, EngineGoesWhileFunctionsAreMadeBetter) {
  const std::string bitcode = ParseToBitcode(Sums(10));
  for (int round = 0; round < 10; ++round) {
    std::unique_ptr<Engine> engine = Make(GetParam(), 1);
    ASSERT_THAT(engine->AddBitcode(bitcode, "sums"), IsOk());
    for (int i = 0; i < 10; ++i) EXPECT_EQ(Get(*engine, i)(20), 190 + i);
  }
}

TEST_P(PromotionLifetimeTest, DetachedCodeGoesOnWithoutItsEngine) {
  for (int round = 0; round < 10; ++round) {
    std::unique_ptr<Engine> engine = Make(GetParam(), 2);
    const ModuleId id = engine->AddBitcode(ParseToBitcode(Sums(6)), "sums").value();
    // Some hot, some not yet, some never called.
    for (int i = 0; i < 4; ++i) EXPECT_EQ(Get(*engine, i)(i < 2 ? 100 : 0), (i < 2 ? 4950 : 0) + i);
    std::unique_ptr<DetachedCode> code = engine->Detach(id).value();
    EXPECT_TRUE(engine->stats().promotions.functions.empty());
    if (round % 2 == 0) engine = nullptr;
    for (int i = 0; i < 6; ++i) {
      Sum sum = *code->Lookup<int64_t(int64_t)>(absl::StrCat("sum", i));
      EXPECT_EQ(sum(100000), 4999950000 + i);
    }
    if (round % 4 < 2) engine = nullptr;
    code = nullptr;
  }
}

// A thread is in its loop all the time.
TEST_P(PromotionLifetimeTest, RunningLoopIsDetachedAndOutlivesTheEngine) {
  for (int round = 0; round < 10; ++round) {
    // So that it is asked about now and then, or each time.
    std::unique_ptr<Engine> engine = Make(GetParam(), round % 2 == 0 ? 1 : 1000);
    const ModuleId id = engine
                            ->AddBitcode(ParseToBitcode(R"(
      declare i32 @firstcall_test_may_end()
      define i64 @f(i64 %x) {
      entry:
        %y = mul i64 %x, 3
        br label %loop
      loop:
        %end = call i32 @firstcall_test_may_end()
        %on = icmp eq i32 %end, 0
        br i1 %on, label %loop, label %out
      out:
        ret i64 %y
      })"),
                                         "program")
                            .value();
    Sum f = *engine->Lookup<int64_t(int64_t)>("f");
    may_end = false;
    waiting = 0;
    int64_t result = 0;
    std::thread runner([&] { result = f(14); });
    while (waiting <= 10 * round) std::this_thread::yield();  // So f is compiled.
    std::unique_ptr<DetachedCode> code = engine->Detach(id).value();
    engine = nullptr;
    const int before = waiting;
    while (waiting < before + 5000) std::this_thread::yield();
    may_end = true;
    runner.join();
    EXPECT_EQ(result, 42);
  }
}

// Threads leave their loops for continuations all the time. What they read to do so stays.
TEST_P(PromotionLifetimeTest, LoopsAreLeftWhileTheirModuleIsDetached) {
  for (int round = 0; round < 10; ++round) {
    std::unique_ptr<Engine> engine = Make(GetParam(), 40);
    const ModuleId id = engine->AddBitcode(ParseToBitcode(Sums(3)), "sums").value();
    const std::vector<Sum> sums = {Get(*engine, 0), Get(*engine, 1), Get(*engine, 2)};
    std::atomic<bool> must_stop{false};
    std::atomic<int> calls{0};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        while (!must_stop) {
          if (sums[i](200) != 19900 + i) ++wrong;
          ++calls;
        }
      });
    }
    const auto await_calls = [&](int count) {
      for (const int end = calls + count; calls < end;) std::this_thread::yield();
    };
    await_calls(1 + 40 * round);
    std::unique_ptr<DetachedCode> code = engine->Detach(id).value();
    engine = nullptr;
    await_calls(300);
    must_stop = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

// --- Fork ---

#if !defined(ABSL_HAVE_THREAD_SANITIZER)  // Its own threads and locks do not survive fork.

// The first call of another function gives a child its thread.
int ChildsAnswer(Engine& engine, int i) {
  if (Get(engine, 18)(10) != 45 + 18) return 3;
  Sum sum = Get(engine, i);
  const bool is_promoted = DoUntil(
      [&] { return HotnessOf(engine, absl::StrCat("sum", i)).tier == 1; }, [&] { sum(10); });
  return !is_promoted ? 1 : sum(10) == 45 + i ? 0 : 2;
}

TEST_P(PromotionLifetimeTest, HotFunctionsOfAForkedChildArePromoted) {
  if (IsEmulated() && GetParam() != PromotionWay::kCallerDoesIt) {
    GTEST_SKIP() << "a thread that a forked child makes may never start in the emulator";
  }
  for (int round = 0; round < 3; ++round) {
    std::unique_ptr<Engine> engine = Make(GetParam(), 2);
    ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Sums(20)), "sums"), IsOk());
    // In the parent half of them are hot, or becoming so.
    for (int i = 0; i < 10; ++i) Get(*engine, i)(100);
    std::vector<pid_t> children;
    for (int i = 0; i < 20; i += 5) {
      const pid_t child = fork();
      if (child == 0) _exit(ChildsAnswer(*engine, i));
      children.push_back(child);
    }
    EXPECT_EQ(ChildsAnswer(*engine, 19), 0);
    for (pid_t child : children) {
      int status = -1;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFEXITED(status)) << status;
      EXPECT_EQ(WEXITSTATUS(status), 0);
    }
  }
}

// The parent has called the function, but not often. The children end without a flush.
TEST(PromotionForkTest, ChildUsesWhatItsBrotherHasOptimized) {
  EngineOptions options;
  options.tier = Tier::kAuto;
  options.promotion.threads = 0;
  options.promotion.threshold = 100;
  const std::string directory = ::testing::TempDir() + "/brothers";
  std::filesystem::remove_all(directory);
  options.object_cache = DiskCache::Open(directory, DiskCache::Options()).value();
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Sums(1)), "sums"), IsOk());
  EXPECT_EQ(Get(*engine, 0)(10), 45);
  const auto is_optimized = [&] {
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(Get(*engine, 0)(10), 45);
    return HotnessOf(*engine, "sum0").tier == 1;
  };
  for (uint64_t cached : {0, 1}) {
    const pid_t child = fork();
    if (child == 0) {
      EXPECT_TRUE(is_optimized());
      EXPECT_EQ(engine->stats().promotions_cached > 0, cached > 0);
      _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

// A thread of the parent's asks all the time.
TEST(PromotionForkTest, ChildOfAProcessThatAsksDestroysItsEngine) {
  EngineOptions options;
  options.tier = Tier::kAuto;
  options.promotion.threshold = 1;
  options.promotion.asks_when_called = true;
  options.promotion.budget = absl::ZeroDuration();  // Nobody is answered.
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Sums(2)), "sums"), IsOk());
  Sum sum = Get(*engine, 0);
  may_end = false;
  std::thread asker([&] {
    while (!may_end) sum(1000);
  });
  for (int round = 0; round < 50; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      if (round % 2 == 0) Get(*engine, 1);  // It has a thread of its own.
      engine = nullptr;
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  may_end = true;
  asker.join();
}

#endif

// --- Exit ---

void CallAll(Engine& engine) {
  (void)engine.AddBitcode(ParseToBitcode(Sums(50)), "sums");
  for (int i = 0; i < 50; ++i) Get(engine, i)(100);
}

TEST(PromotionDeathTest, ProcessExitsWhileFunctionsAreMadeBetter) {
  for (int delay : {0, 1, 3, 10}) {
    EXPECT_EXIT(
        {
          static const std::unique_ptr<Engine> engine =
              Make(PromotionWay::kCallerAsks, /*threshold=*/1);
          CallAll(*engine);
          absl::SleepFor(absl::Milliseconds(delay));
          std::exit(3);
        },
        testing::ExitedWithCode(3), "");
  }
}

std::atomic<bool> has_exited{false};
std::thread* works_at_exit = nullptr;

// A handler that was there before the engine, or the end of a library, may wait for a thread that
// runs compiled code, when nothing is optimized any more.
TEST(PromotionDeathTest, ThreadsGoOnWhenNothingIsOptimizedAnyMore) {
  for (PromotionWay way : kPromotionWays) {
    EXPECT_EXIT(
        {
          alarm(60);  // Instead of waiting for ever.
          std::atexit([] {
            has_exited = true;
            works_at_exit->join();
            _exit(42);
          });
          static Engine* const engine = Make(way, /*threshold=*/1000).release();
          (void)engine->AddBitcode(ParseToBitcode(Sums(50)), "sums");
          (void)engine->RunConstructors();
          static auto& sums = *new std::vector<Sum>;  // Never destroyed.
          for (int i = 0; i < 50; ++i) sums.push_back(Get(*engine, i));
          for (const Sum sum : sums) sum(1);
          works_at_exit = new std::thread([] {
            while (!has_exited) continue;
            for (const Sum sum : sums) {
              for (int j = 0; j < 2000; ++j) sum(100);
            }
          });
          std::exit(3);
        },
        testing::ExitedWithCode(42), "");
  }
}

#if !defined( \
    ABSL_HAVE_THREAD_SANITIZER)  // It reports the thread of an engine that nobody destroys.

TEST(PromotionDeathTest, ProcessExitsWithoutItsEnginesEnd) {
  for (int delay : {0, 1, 3, 10}) {
    EXPECT_EXIT(
        {
          static Engine* const engine = Make(PromotionWay::kCallerAsks, /*threshold=*/1).release();
          CallAll(*engine);
          absl::SleepFor(absl::Milliseconds(delay));
          std::exit(3);
        },
        testing::ExitedWithCode(3), "");
  }
}

#endif

// --- Optimization that takes long ---

// Loops of which each runs once, in which `long(0)` is so much to optimize.
std::string LongFunction(int loops) {
  std::string text = "define i64 @long(i64 %n) {\nentry:\n  br label %b0\n";
  for (int i = 0; i < loops; ++i) {
    const std::string x = absl::StrCat("%x", i), k = absl::StrCat("%k", i);
    const std::string last = i == 0 ? "%n" : absl::StrCat("%y", i - 1);
    const std::string before = i == 0 ? "%entry" : absl::StrCat("%b", i - 1);
    absl::StrAppend(&text, "b", i, ":\n  ", k, " = phi i64 [ 0, ", before, " ], [ ", k, "n, %b", i,
                    " ]\n  ", x, " = phi i64 [ ", last, ", ", before, " ], [ %y", i, ", %b", i,
                    " ]\n  %y", i, " = mul i64 ", x, ", ", k, "\n  ", k, "n = add i64 ", k,
                    ", 1\n  %c", i, " = icmp slt i64 ", k, "n, ", x, "\n  br i1 %c", i,
                    ", label %b", i, ", label %b", i + 1, "\n");
  }
  absl::StrAppend(&text, "b", loops, ":\n  ret i64 %y", loops - 1, "\n}\n");
  return text;
}

// Counts the threads that have begun since it was made and have not ended. (The number of all
// threads would say less: the kernel lists one that has been joined for a little longer.)
class NewThreads {
 public:
  NewThreads() {
    // The thread sanitizer begins a thread of its own when the first one is made.
    std::thread([] {}).join();
    before_ = ListThreads();
  }

  size_t Count() const {
    size_t count = 0;
    for (const std::string& id : ListThreads()) count += before_.count(id) == 0 ? 1 : 0;
    return count;
  }

 private:
  static std::set<std::string> ListThreads() {
    std::set<std::string> ids;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      ids.insert(task.path().filename().string());
    }
    return ids;
  }

  std::set<std::string> before_;
};

TEST_P(PromotionLifetimeTest, ManyEnginesShareTheThread) {
  const NewThreads threads;
  std::vector<std::unique_ptr<Engine>> engines;
  for (int i = 0; i < 20; ++i) {
    std::unique_ptr<Engine> engine = Make(GetParam(), /*threshold=*/10);
    ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Sums(1)), "sums"), IsOk());
    engines.push_back(std::move(engine));
  }
  for (const auto& engine : engines) {
    while (engine->stats().promotions_made == 0) EXPECT_EQ(Get(*engine, 0)(50), 1225);
  }
  EXPECT_EQ(threads.Count(), GetParam() == PromotionWay::kCallerDoesIt ? 0u : 1u);
  // Each goes without the others noticing.
  while (engines.size() > 1) {
    engines.erase(engines.begin());
    EXPECT_EQ(Get(*engines.front(), 0)(50), 1225);
  }
  engines.clear();
  while (threads.Count() > 0) absl::SleepFor(absl::Milliseconds(1));
}

// An engine whose thread optimizes a function that takes it so long that nobody waits.
class LongOptimization {
 public:
  // `wait`: how long the thread has had the function when this returns.
  LongOptimization(int loops, absl::Duration wait) {
    engine_ = Make(PromotionWay::kCallerAsks, /*threshold=*/1);
    module_ = engine_->AddBitcode(ParseToBitcode(LongFunction(loops)), "long").value();
    EXPECT_EQ(engine_->Lookup<int64_t(int64_t)>("long").value()(0), 0);
    absl::SleepFor(wait);
  }
  // As long as it probably takes the thread to read the function, and to begin to optimize it.
  explicit LongOptimization(int loops)
      : LongOptimization(loops, absl::Milliseconds(20 + loops / 10)) {}
  // Whether the thread of an engine that has gone is still there.
  bool ThreadGoesOn() const { return threads_.Count() > 0; }
  void WaitForThread() const {
    while (ThreadGoesOn()) absl::SleepFor(absl::Milliseconds(1));
  }
  Engine& engine() { return *engine_; }
  ModuleId module() const { return module_; }
  void EndEngine() { engine_ = nullptr; }

 private:
  const NewThreads threads_;
  std::unique_ptr<Engine> engine_;
  ModuleId module_;
};

constexpr int kLoops[] = {100, 400, 1600};

TEST(LongOptimizationTest, TheEnginesEndDoesNotWaitForIt) {
  // When the thread is in a pass that takes long depends on the machine, and on what else it does.
  bool has_gone_on = false;
  for (absl::Duration wait = absl::Milliseconds(1); !has_gone_on && wait < absl::Seconds(5);
       wait *= 1.3) {
    LongOptimization optimization(/*loops=*/1600, wait);
    optimization.EndEngine();
    has_gone_on = optimization.ThreadGoesOn();
    optimization.WaitForThread();
  }
  EXPECT_TRUE(has_gone_on);
}

TEST(LongOptimizationTest, RemovedModulesDoNotWaitForItAndItComesToNothing) {
  for (int loops : kLoops) {
    LongOptimization optimization(loops);
    Engine& engine = optimization.engine();
    const size_t promoted = engine.stats().promotions_made;
    ASSERT_THAT(engine.Remove(optimization.module()), IsOk());
    // The thread has another function's body to make, and can make it.
    ASSERT_THAT(engine.AddBitcode(ParseToBitcode(Sums(1)), "sums"), IsOk());
    while (engine.stats().promotions_made < promoted + 1) EXPECT_EQ(Get(engine, 0)(20), 190);
    EXPECT_EQ(engine.stats().promotions_failed, 0u);
    optimization.EndEngine();
    optimization.WaitForThread();
  }
}

TEST(LongOptimizationTest, DetachedCodeDoesNotWaitForItEither) {
  for (int loops : kLoops) {
    LongOptimization optimization(loops);
    auto* const sum = optimization.engine().Lookup<int64_t(int64_t)>("long").value();
    absl::StatusOr<std::unique_ptr<DetachedCode>> code =
        optimization.engine().Detach(optimization.module());
    ASSERT_THAT(code, IsOk());
    optimization.EndEngine();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(sum(0), 0);
    optimization.WaitForThread();
  }
}

TEST(LongOptimizationTest, ForkedChildBeginsItAnew) {
  for (int loops : {100, 200}) {
    LongOptimization optimization(loops);
    Engine& engine = optimization.engine();
    const pid_t child = fork();
    if (child == 0) {
      auto* const sum = engine.Lookup<int64_t(int64_t)>("long").value();
      while (engine.stats().promotions_made == 0) sum(0);
      _exit(sum(0) == 0 ? 5 : 6);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 5);
    optimization.EndEngine();
    optimization.WaitForThread();
  }
}

TEST(LongOptimizationDeathTest, ExitStopsIt) {
  for (int loops : kLoops) {
    EXPECT_EXIT(
        {
          static LongOptimization optimization(loops);
          std::exit(3);
        },
        testing::ExitedWithCode(3), "");
  }
}

TEST(LongOptimizationDeathTest, ExitStopsWhatOutlivesItsEngine) {
  EXPECT_EXIT(
      {
        LongOptimization optimization(1600);
        optimization.EndEngine();
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
}

// --- When the optimizing thread begins ---

constexpr char kTwice[] = "define i64 @twice(i64 %x) { %y = add i64 %x, %x  ret i64 %y }";

TEST(PromotionThreadTest, ThereIsNoneBeforeAFunctionHasBeenCalledOften) {
  const NewThreads threads;
  std::unique_ptr<Engine> engine = Make(PromotionWay::kThreadLooks, /*threshold=*/1000);
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(kTwice), "twice"), IsOk());
  auto* const twice = engine->Lookup<int64_t(int64_t)>("twice").value();
  for (int i = 0; i < 900; ++i) EXPECT_EQ(twice(i), 2 * i);
  EXPECT_EQ(threads.Count(), 0);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(twice(i), 2 * i);
  EXPECT_EQ(threads.Count(), 1);
  while (engine->stats().promotions_made == 0) EXPECT_EQ(twice(1), 2);
}

// They use their parent's memory, in which each would leave a thread of its own.
TEST(PromotionThreadTest, ChildrenOfVforkUseTheirParents) {
  if (!HasVfork()) GTEST_SKIP() << "the process is forked instead";
  const NewThreads threads;
  std::unique_ptr<Engine> engine = Make(PromotionWay::kThreadLooks, /*threshold=*/10);
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(kTwice), "twice"), IsOk());
  auto* const twice = engine->Lookup<int64_t(int64_t)>("twice").value();
  for (int i = 0; i < 10; ++i) {
    const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (child == 0) {
      for (int j = 0; j < 20; ++j) twice(j);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    for (int j = 0; j < 20; ++j) EXPECT_EQ(twice(j), 2 * j);
  }
  EXPECT_EQ(threads.Count(), 1);
  while (engine->stats().promotions_made == 0) EXPECT_EQ(twice(1), 2);
}

extern "C" void firstcall_test_sleep() { absl::SleepFor(absl::Milliseconds(5)); }

TEST(PromotionThreadTest, ALoopOfFewLongRoundsBeginsIt) {
  const NewThreads threads;
  std::unique_ptr<Engine> engine = Make(PromotionWay::kThreadLooks, /*threshold=*/100000);
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(R"(
    declare void @firstcall_test_sleep()
    define i64 @rounds(i64 %n) {
    entry:
      br label %loop
    loop:
      %k = phi i64 [ 0, %entry ], [ %k2, %loop ]
      call void @firstcall_test_sleep()
      %k2 = add i64 %k, 1
      %more = icmp slt i64 %k2, %n
      br i1 %more, label %loop, label %end
    end:
      ret i64 %k2
    })"),
                                 "rounds"),
              IsOk());
  EXPECT_EQ(engine->Lookup<int64_t(int64_t)>("rounds").value()(40), 40);
  EXPECT_EQ(threads.Count(), 1);
}

int64_t (*twice_in_handler)(int64_t) = nullptr;

// Starting a thread takes memory, which the code that is interrupted may be about to take.
TEST(PromotionThreadTest, ASignalHandlerDoesNotBeginIt) {
  const NewThreads threads;
  std::unique_ptr<Engine> engine = Make(PromotionWay::kThreadLooks, /*threshold=*/10);
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(kTwice), "twice"), IsOk());
  twice_in_handler = engine->Lookup<int64_t(int64_t)>("twice").value();
  EXPECT_EQ(twice_in_handler(2), 4);
  signal(SIGUSR1, [](int) {
    for (int i = 0; i < 100; ++i) twice_in_handler(i);
  });
  raise(SIGUSR1);
  signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(threads.Count(), 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(twice_in_handler(i), 2 * i);
  EXPECT_EQ(threads.Count(), 1);
}

// --- Signals ---

std::vector<Sum> called_in_handler;
std::atomic<int> handled{0};
std::atomic<int> wrong{0};
void CallInHandler(int) {
  for (size_t i = 0; i < called_in_handler.size(); ++i) {
    if (called_in_handler[i](10) != 45 + static_cast<int64_t>(i)) ++wrong;
  }
  ++handled;
}

// A timer of the process's time, until it goes.
class ProfilingTimer {
 public:
  explicit ProfilingTimer(int microseconds) {
    handled = wrong = 0;
    struct sigaction action = {};
    action.sa_handler = &CallInHandler;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, &before_);
    Set(microseconds);
  }
  ~ProfilingTimer() {
    Set(0);
    // One may be on its way.
    signal(SIGPROF, SIG_IGN);
    sigaction(SIGPROF, &before_, nullptr);
    called_in_handler.clear();
  }

 private:
  static void Set(int microseconds) {
    itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_PROF, &timer, nullptr);
  }

  struct sigaction before_ = {};
};

// Whatever the thread holds that is interrupted: the allocator's locks, the engine's.
TEST(PromotionSignalTest, PollsInAHandlerWaitForNobody) {
  std::unique_ptr<Engine> engine = Make(PromotionWay::kCallerAsks, /*threshold=*/1);
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Sums(8)), "sums"), IsOk());
  for (int i = 0; i < 8; ++i) {
    called_in_handler.push_back(Get(*engine, i));
    EXPECT_EQ(called_in_handler.back()(0), i);  // Compiles it, and asks for the first time.
  }
  const std::string bitcode = ParseToBitcode("define i64 @other(i64 %x) { ret i64 %x }");
  ProfilingTimer timer(500);
  EXPECT_TRUE(DoUntil([] { return handled >= 100; },
                      [&] {
                        const ModuleId id = engine->AddBitcode(bitcode, "other").value();
                        auto* other = engine->Lookup<int64_t(int64_t)>("other").value();
                        EXPECT_EQ(other(3), 3);
                        std::vector<std::unique_ptr<char[]>> blocks;
                        for (size_t i = 1; i < 200; ++i) {
                          blocks.push_back(std::make_unique<char[]>(i * 97));
                        }
                        ASSERT_THAT(engine->Remove(id), IsOk());
                      }));
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(DoUntil(
      [&] {
        for (int i = 0; i < 8; ++i) {
          if (HotnessOf(*engine, absl::StrCat("sum", i)).tier == 0) return false;
        }
        return true;
      },
      [] { absl::SleepFor(absl::Milliseconds(1)); }));
}

// The handler may have interrupted an allocation, and LLVM allocates.
TEST(PromotionSignalTest, WithoutAThreadAHandlerOptimizesNothing) {
  std::unique_ptr<Engine> engine = Make(PromotionWay::kCallerDoesIt, /*threshold=*/10);
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Sums(1)), "sums"), IsOk());
  called_in_handler.push_back(Get(*engine, 0));
  EXPECT_EQ(called_in_handler.back()(0), 0);
  signal(SIGUSR1, &CallInHandler);
  for (int i = 0; i < 1000; ++i) raise(SIGUSR1);
  signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(HotnessOf(*engine, "sum0").tier, 0);
  EXPECT_EQ(HotnessOf(*engine, "sum0").continuations, 0u);
  EXPECT_TRUE(DoUntil([&] { return HotnessOf(*engine, "sum0").tier == 1; },
                      [] { called_in_handler.back()(0); }));
  called_in_handler.clear();
}

// A signal comes whenever the engine wants to write to pages.
class InterruptingMapper final : public ForwardingMapper {
 public:
  absl::StatusOr<Slab> Reserve(size_t size, ExecutorAddress near) override {
    return mapper_.Reserve(size, near);
  }
  absl::StatusOr<std::vector<uint8_t*>> Initialize(
      const Slab& slab, absl::Span<const SlabSegment> segments) override {
    if (!called_in_handler.empty()) raise(SIGUSR1);
    return ForwardingMapper::Initialize(slab, segments);
  }
  absl::StatusOr<AllocationId> Finalize(const Slab& slab, const Allocation& allocation) override {
    if (!called_in_handler.empty()) raise(SIGUSR1);
    return ForwardingMapper::Finalize(slab, allocation);
  }
};

TEST(PromotionSignalTest, WithoutAThreadAHandlerThatInterruptsWorkLeavesItForLater) {
  EngineOptions options;
  options.tier = Tier::kAuto;
  options.promotion.threads = 0;
  options.promotion.threshold = 10;
  options.page_mapper = std::make_shared<InterruptingMapper>();
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Sums(100)), "sums"), IsOk());
  Sum sum = Get(*engine, 0);
  EXPECT_EQ(sum(0), 0);
  handled = wrong = 0;
  signal(SIGUSR1, &CallInHandler);
  called_in_handler.push_back(sum);
  for (int i = 1; i < 100; ++i) EXPECT_EQ(Get(*engine, i)(0), i);
  called_in_handler.clear();
  signal(SIGUSR1, SIG_DFL);
  EXPECT_GE(handled, 99);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(HotnessOf(*engine, "sum0").tier, 0);
  EXPECT_EQ(HotnessOf(*engine, "sum0").continuations, 0u);
  EXPECT_GT(HotnessOf(*engine, "sum0").polls, 100u);
  EXPECT_TRUE(DoUntil([&] { return HotnessOf(*engine, "sum0").tier == 1; }, [&] { sum(10); }));
}

}  // namespace
}  // namespace firstcall

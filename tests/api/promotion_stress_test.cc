// Functions are replaced by their better bodies, and running loops left for continuations, by the
// thousand, while threads call them and modules come and go.

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/api/promotion.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr int kThreads = 8;
constexpr size_t kModulesOfAThread = 3;  // At a time, but for the one in work.
constexpr int kFunctions = 32;           // Of a module.
constexpr int64_t kLong = 200000;

// Better bodies and continuations that have to be made, all together.
size_t Promotions() { return IsEmulated() ? 500 : 10000; }

// The first function is a sum, f<name>_0(n) = 0 + 1 + ... + (n - 1); f<name>_<i>(n) is n * i.
std::string Program(const std::string& name) {
  std::string text = absl::StrCat("define i64 @f", name, R"(_0(i64 %n) {
    entry:
      br label %loop
    loop:
      %k = phi i64 [ 0, %entry ], [ %k2, %body ]
      %sum = phi i64 [ 0, %entry ], [ %sum2, %body ]
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
  for (int i = 1; i < kFunctions; ++i) {
    absl::StrAppend(&text, "define i64 @f", name, "_", i, "(i64 %n) {\n  %y = mul i64 %n, ", i,
                    "\n  ret i64 %y\n}\n");
  }
  return text;
}

using Sum = int64_t(int64_t);

// What all threads call: modules are added, called, and removed some rounds later, while what is
// optimized is theirs or those of others.
class Load {
 public:
  Load(size_t promotion_threads, uint32_t threshold, size_t promotions) : promotions_(promotions) {
    EngineOptions options;
    options.tier = Tier::kAuto;
    options.promotion.threads = promotion_threads;
    options.promotion.threshold = threshold;
    options.listeners.push_back(better_bodies_);
    engine_ = Engine::Create(options).value();
  }

  void Run() {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back([&, t] { Work(t); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong_, 0);
    EXPECT_GE(engine_->stats().promotions_made, promotions_);
    EXPECT_GT(loops_entered_, 0u);
    EXPECT_EQ(failures_, 0u);
  }

 private:
  struct Module {
    std::string name;
    ModuleId id;
  };

  void Work(int t) {
    std::deque<Module> modules;
    for (int round = 0; better_bodies_->size() < promotions_; ++round) {
      const std::string name = absl::StrCat(t, "_", round);
      absl::StatusOr<ModuleId> id = round % 3 == 0
                                        ? engine_->AddAssembly(Program(name), name)
                                        : engine_->AddBitcode(ParseToBitcode(Program(name)), name);
      ASSERT_THAT(id, IsOk());
      std::vector<Sum*> functions;
      for (int i = 0; i < kFunctions; ++i) {
        functions.push_back(engine_->Lookup<Sum>(absl::StrCat("f", name, "_", i)).value());
      }
      // Two threads in the same functions, one of which began earlier.
      std::thread other([&] { Call(functions, 5); });
      Call(functions, 5);
      other.join();
      WaitForSome();
      modules.push_back({name, *id});
      if (modules.size() <= kModulesOfAThread) continue;
      Note(modules.front().name);
      ASSERT_THAT(engine_->Remove(modules.front().id), IsOk());
      modules.pop_front();
    }
    for (const Module& module : modules) Note(module.name);
  }

  void Call(const std::vector<Sum*>& functions, int times) {
    for (int time = 0; time < times; ++time) {
      // Long enough for the loop to be left while it runs.
      const int64_t n = time == 0 ? kLong : 10 * time;
      if (functions[0](n) != n * (n - 1) / 2) ++wrong_;
      for (int i = 1; i < kFunctions; ++i) {
        if (functions[i](time) != time * i) ++wrong_;
      }
    }
  }

  // Removing modules faster than any function is optimized would throw all results away.
  void WaitForSome() const {
    const size_t enough = better_bodies_->size() + kThreads;
    for (int i = 0; i < 500 && better_bodies_->size() < enough; ++i) {
      absl::SleepFor(absl::Milliseconds(1));
    }
  }

  void Note(const std::string& module) {
    for (const FunctionHotness& hotness : engine_->stats().promotions.functions) {
      if (hotness.module != module) continue;
      loops_entered_ += hotness.loops_entered;
      failures_ += hotness.failures;
    }
  }

  const size_t promotions_;
  const std::shared_ptr<BetterBodies> better_bodies_ = std::make_shared<BetterBodies>();
  std::unique_ptr<Engine> engine_;
  std::atomic<int> wrong_{0};
  std::atomic<uint64_t> loops_entered_{0};
  std::atomic<size_t> failures_{0};
};

TEST(PromotionStressTest, WhoeverFindsAFunctionHotReplacesIt) {
  Load(/*promotion_threads=*/0, /*threshold=*/3, Promotions() / 5 * 4).Run();
}

TEST(PromotionStressTest, ThreadsReplaceWhatOthersRun) {
  Load(/*promotion_threads=*/2, /*threshold=*/1, Promotions() / 5).Run();
}

}  // namespace
}  // namespace firstcall

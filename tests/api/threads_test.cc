// Compile threads, preparing, speculation, fork, signals, exit: where and when functions are
// compiled.

#include <setjmp.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "seam/listener.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

constexpr int kFunctions = 200;

// f<i>(x) is x + i; every tenth one, from the fifth, cannot be linked.
std::string Program(bool has_bad_ones) {
  std::string text = "declare i64 @nowhere(i64)\n";
  for (int i = 0; i < kFunctions; ++i) {
    absl::StrAppend(&text, "define i64 @f", i, "(i64 %x) {\n");
    if (has_bad_ones && i % 10 == 5) {
      absl::StrAppend(&text, "  %y = call i64 @nowhere(i64 %x)\n  ret i64 %y\n}\n");
    } else {
      absl::StrAppend(&text, "  %y = add i64 %x, ", i, "\n  ret i64 %y\n}\n");
    }
  }
  return text;
}

// Remembers the threads that compiled.
class ThreadRecorder final : public Listener {
 public:
  void OnPublished(const PublishedObject& object) override {
    for (const PublishedFunction& function : object.functions) {
      absl::MutexLock lock(&mutex_);
      threads_[std::string(function.name)] = std::this_thread::get_id();
    }
  }

  std::thread::id ThreadOf(const std::string& function) {
    absl::MutexLock lock(&mutex_);
    return threads_[function];
  }

  size_t size() {
    absl::MutexLock lock(&mutex_);
    return threads_.size();
  }

 private:
  absl::Mutex mutex_;
  std::map<std::string, std::thread::id> threads_;
};

class ThreadsTest : public testing::TestWithParam<size_t> {
 protected:
  void Create(EngineOptions options = {}) {
    options.compile_threads = GetParam();
    options.listeners.push_back(recorder_);
    engine_ = Engine::Create(std::move(options)).value();
  }

  void Add(const std::string& text) {
    ASSERT_THAT(engine_->AddBitcode(ParseToBitcode(text), "program"), IsOk());
  }

  const std::shared_ptr<ThreadRecorder> recorder_ = std::make_shared<ThreadRecorder>();
  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(CompileThreads, ThreadsTest, testing::Values(0, 1, 3));

TEST_P(ThreadsTest, FunctionsAreCompiledWhereTheOptionSays) {
  Create();
  Add(Program(false));
  EXPECT_EQ(engine_->Lookup<int64_t(int64_t)>("f3").value()(4), 7);
  EXPECT_EQ(recorder_->ThreadOf("f3") == std::this_thread::get_id(), GetParam() == 0);
}

TEST_P(ThreadsTest, PrepareAllCompilesEverythingAndTellsHowFarItIs) {
  Create();
  Add(Program(false));
  size_t last = 0, total = 0;
  PrepareOptions options;
  options.progress = [&](const PrepareProgress& progress) {
    EXPECT_EQ(progress.done, last + 1);
    last = progress.done;
    total = progress.total;
    return true;
  };
  ASSERT_THAT(engine_->PrepareAll(options), IsOk());
  EXPECT_EQ(last, static_cast<size_t>(kFunctions));
  EXPECT_EQ(total, static_cast<size_t>(kFunctions));
  EXPECT_EQ(engine_->stats().functions_compiled, static_cast<size_t>(kFunctions));
  EXPECT_EQ(engine_->Lookup<int64_t(int64_t)>("f199").value()(1), 200);
}

// The module was given as text, and nothing of it is kept when all its functions are compiled.
TEST(PreparedMainTest, RunsWhenEverythingIsCompiled) {
  EngineOptions options;
  options.tier = Tier::kZero;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  ASSERT_THAT(engine->AddAssembly("define i32 @main() { ret i32 5 }", "program"), IsOk());
  EXPECT_THAT(engine->PrepareAll(), IsOk());
  ASSERT_OK_AND_ASSIGN(const int status, engine->RunMain({"program"}));
  EXPECT_EQ(status, 5);
}

TEST_P(ThreadsTest, PrepareGoesOnAfterAFailureAndReportsTheFirst) {
  Create();
  Add(Program(true));
  size_t failed = 0;
  PrepareOptions options;
  options.progress = [&](const PrepareProgress& progress) {
    failed = progress.failed;
    return true;
  };
  EXPECT_THAT(engine_->PrepareAll(options),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("linking function 'f5'")));
  EXPECT_EQ(failed, static_cast<size_t>(kFunctions / 10));
  EXPECT_EQ(engine_->stats().functions_compiled, static_cast<size_t>(kFunctions - kFunctions / 10));
}

TEST_P(ThreadsTest, PreparingCanBeCancelled) {
  Create();
  Add(Program(false));
  PrepareOptions options;
  options.progress = [](const PrepareProgress& progress) { return progress.done < 10; };
  EXPECT_THAT(engine_->PrepareAll(options),
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("were not compiled")));
  EXPECT_LT(engine_->stats().functions_compiled, 20u);
  EXPECT_EQ(engine_->Lookup<int64_t(int64_t)>("f100").value()(1), 101);
}

TEST_P(ThreadsTest, WhatItsProgressThrowsReachesTheCaller) {
  Create();
  Add(Program(false));
  PrepareOptions options;
  options.progress = [](const PrepareProgress& progress) {
    if (progress.done == 3) throw std::runtime_error("enough");
    return true;
  };
  EXPECT_THROW((void)engine_->PrepareAll(options), std::runtime_error);
  EXPECT_EQ(engine_->Lookup<int64_t(int64_t)>("f199").value()(1), 200);
}

TEST_P(ThreadsTest, PreparingHasABudget) {
  Create();
  Add(Program(false));
  PrepareOptions options;
  options.budget = absl::ZeroDuration();
  EXPECT_THAT(engine_->PrepareAll(options), StatusIs(absl::StatusCode::kDeadlineExceeded,
                                                     "preparing functions: 200 were not compiled"));
}

TEST_P(ThreadsTest, VariablesCanBePreparedToo) {
  Create();
  Add("@v = global i32 7");
  ASSERT_THAT(engine_->Prepare({"v"}), IsOk());
  EXPECT_EQ(*static_cast<int*>(engine_->LookupAddress("v").value()), 7);
}

// Groups are compiled under a lock that linking data needs as well.
TEST_P(ThreadsTest, FunctionsWithBlockAddressesInData) {
  Create();
  std::string text;
  for (int i = 0; i < 20; ++i) {
    absl::StrAppend(
        &text, "@t", i, " = global [2 x ptr] [ptr blockaddress(@g", i, ", %a), ptr blockaddress(@g",
        i, ", %b)]\n@p", i, " = global ptr @t", i, "\ndefine i64 @g", i,
        "(i64 %x) {\n  %s = getelementptr ptr, ptr @t", i,
        ", i64 %x\n  %l = load ptr, ptr %s\n  indirectbr ptr %l, [label %a, label %b]\n",
        "a:\n  ret i64 10\nb:\n  ret i64 20\n}\n");
  }
  Add(text);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < 20; ++k) {
        const int i = (k + 5 * t) % 20;
        if (t % 2 == 0 && !engine_->LookupAddress(absl::StrCat("p", i)).ok()) ++wrong;
        auto function = engine_->Lookup<int64_t(int64_t)>(absl::StrCat("g", i));
        if (!function.ok() || (*function)(1) != 20) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(ThreadsTest, SymbolFinderMayCallCompiledCode) {
  EngineOptions options;
  options.search_process_symbols = false;
  options.symbol_finder = [this](absl::string_view name) -> void* {
    if (name != "found") return nullptr;
    return engine_->Lookup<void*()>("chooser").value()();
  };
  Create(std::move(options));
  Add(R"(
    declare i64 @found(i64)
    define i64 @target(i64 %x) { %y = mul i64 %x, 3  ret i64 %y }
    define ptr @chooser() { ret ptr @target }
    define i64 @user(i64 %x) { %y = call i64 @found(i64 %x)  ret i64 %y })");
  EXPECT_EQ(engine_->Lookup<int64_t(int64_t)>("user").value()(5), 15);
}

TEST_P(ThreadsTest, SymbolFinderMayThrow) {
  EngineOptions options;
  options.symbol_finder = [](absl::string_view name) -> void* {
    if (name == "thrown") throw 42;
    return nullptr;
  };
  Create(std::move(options));
  Add("declare void @thrown()\ndefine void @user() { call void @thrown()  ret void }");
  auto user = engine_->Lookup<void()>("user");
  EXPECT_THROW((*user)(), int);
}

int64_t AddOne(int64_t x) { return x + 1; }

// The other call is of the function whose compile has called back, or of another one: that has to
// wait, too, if there is only one compile thread.
TEST_P(ThreadsTest, ACallbackForksWhileAnotherCallWaits) {
  for (const char* const other : {"f", "g"}) {
    absl::Notification is_asked;
    std::atomic<pid_t> child{-1};
    EngineOptions options;
    options.symbol_finder = [&](absl::string_view name) -> void* {
      if (name != "hook") return nullptr;
      if (is_asked.HasBeenNotified()) return reinterpret_cast<void*>(&AddOne);
      is_asked.Notify();
      absl::SleepFor(absl::Milliseconds(50));  // Until the other thread waits.
      const pid_t process = fork();
      if (process == 0) _exit(7);
      child = process;
      return reinterpret_cast<void*>(&AddOne);
    };
    Create(std::move(options));
    Add(R"(
      declare i64 @hook(i64)
      define i64 @f(i64 %x) {
        %y = call i64 @hook(i64 %x)
        ret i64 %y
      }
      define i64 @g(i64 %x) {
        %y = add i64 %x, 1
        ret i64 %y
      })");
    int64_t (*const f)(int64_t) = engine_->Lookup<int64_t(int64_t)>("f").value();
    int64_t (*const called)(int64_t) = engine_->Lookup<int64_t(int64_t)>(other).value();
    std::thread forks([&] { EXPECT_EQ(f(1), 2); });
    is_asked.WaitForNotification();
    EXPECT_EQ(called(1), 2);
    forks.join();
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    engine_ = nullptr;
  }
}

#if !defined(ABSL_HAVE_THREAD_SANITIZER)  // Its own threads and locks do not survive fork.

// What a child does after the parent forked while many threads compile.
int ChildsAnswer(Engine& engine, int i) {
  auto function = engine.Lookup<int64_t(int64_t)>(absl::StrCat("f", i));
  if (!function.ok()) return 1;
  return (*function)(1) == i + 1 ? 0 : 2;
}

TEST_P(ThreadsTest, ForkedChildCompiles) {
  if (IsEmulated() && GetParam() > 0) {
    GTEST_SKIP() << "a thread that a forked child makes may never start in the emulator";
  }
  for (int round = 0; round < 5; ++round) {
    Create();
    Add(Program(false));
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        while (!go) std::this_thread::yield();
        for (int i = t; i < kFunctions; i += 3) {
          engine_->Lookup<int64_t(int64_t)>(absl::StrCat("f", i)).value()(1);
        }
      });
    }
    go = true;
    std::vector<pid_t> children;
    for (int i = 0; i < 8; ++i) {
      const pid_t child = fork();
      if (child == 0) _exit(ChildsAnswer(*engine_, kFunctions - 1 - 7 * i));
      children.push_back(child);
    }
    for (pid_t child : children) {
      int status = -1;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFEXITED(status)) << status;
      EXPECT_EQ(WEXITSTATUS(status), 0);
    }
    for (std::thread& thread : threads) thread.join();
  }
}

// Called by the finder of the next test, which `f` and the data of `g` need: each of them forks
// once, while the other one is in the finder, too.
struct ForkingFinder {
  void* operator()(absl::string_view name) {
    const bool is_first = name == "hook_f";
    if (!is_first && name != "hook_g") return nullptr;
    if (is_in_child || has_forked[is_first].exchange(true)) return reinterpret_cast<void*>(&AddOne);
    ++asking;
    while (asking < 2) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) is_in_child = true;
    if (child != 0) children[is_first] = child;
    return reinterpret_cast<void*>(&AddOne);
  }

  std::atomic<bool> is_in_child{false};
  std::atomic<bool> has_forked[2] = {};
  std::atomic<int> asking{0};
  pid_t children[2] = {};
};

// Neither the parent's threads nor the children wait for ever: in each child, the function that the
// other thread was compiling, or the data that it was linking, is made again.
TEST_P(ThreadsTest, CallbacksOfTwoThreadsForkAtTheSameTime) {
  if (GetParam() > 0) GTEST_SKIP() << "a child would have no thread that waits for the result";
  ForkingFinder finder;
  EngineOptions options;
  options.symbol_finder = [&](absl::string_view name) { return finder(name); };
  Create(std::move(options));
  Add(R"(
    declare i64 @hook_f(i64)
    declare i64 @hook_g(i64)
    @table = global ptr @hook_g
    define i64 @f(i64 %x) {
      %y = call i64 @hook_f(i64 %x)
      ret i64 %y
    }
    define i64 @g(i64 %x) {
      %hook = load ptr, ptr @table
      %y = call i64 %hook(i64 %x)
      ret i64 %y
    })");
  int64_t (*const functions[])(int64_t) = {engine_->Lookup<int64_t(int64_t)>("f").value(),
                                           engine_->Lookup<int64_t(int64_t)>("g").value()};
  std::vector<std::thread> threads;
  for (const bool is_first : {true, false}) {
    threads.emplace_back([&, is_first] {
      const int64_t own = functions[is_first ? 0 : 1](1);
      if (finder.is_in_child) _exit(own == 2 && functions[is_first ? 1 : 0](1) == 2 ? 0 : 1);
      EXPECT_EQ(own, 2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const pid_t child : finder.children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(functions[0](2), 3);
  EXPECT_EQ(functions[1](2), 3);
}

#endif

TEST_P(ThreadsTest, EngineGoesWhileItsThreadsAreBusy) {
  for (int round = 0; round < 5; ++round) {
    EngineOptions options;
    options.speculation_budget = absl::Seconds(10);
    Create(std::move(options));
    std::string text;
    for (int i = 0; i < 100; ++i) {
      absl::StrAppend(&text, "define i64 @f", i, "(i64 %x) {\n  %c = icmp eq i64 %x, 0\n",
                      "  br i1 %c, label %a, label %b\na:\n  ret i64 1\nb:\n  %r = call i64 @f",
                      (i + 1) % 100, "(i64 0)\n  ret i64 %r\n}\n");
    }
    Add(text);
    EXPECT_EQ(engine_->Lookup<int64_t(int64_t)>("f0").value()(0), 1);
    engine_ = nullptr;
  }
}

TEST_P(ThreadsTest, SpeculationCompilesWhatIsCalledByWhatRuns) {
  EngineOptions options;
  options.speculation_budget = absl::Seconds(60);
  Create(std::move(options));
  Add(R"(
    define i64 @first(i64 %x) {
      %c = icmp eq i64 %x, 0
      br i1 %c, label %a, label %b
    a:
      ret i64 1
    b:
      %r = call i64 @second(i64 %x)
      ret i64 %r
    }
    define i64 @second(i64 %x) {
      %c = icmp eq i64 %x, 1
      br i1 %c, label %a, label %b
    a:
      ret i64 2
    b:
      %r = call i64 @third(i64 %x)
      ret i64 %r
    }
    define i64 @third(i64 %x) { ret i64 3 }
    define i64 @unrelated() { ret i64 4 })");
  EXPECT_EQ(engine_->Lookup<int64_t(int64_t)>("first").value()(0), 1);
  if (GetParam() == 0) {
    EXPECT_EQ(recorder_->size(), 1u);
    return;
  }
  while (recorder_->size() < 3) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_EQ(engine_->Lookup<int64_t(int64_t)>("first").value()(2), 3);
  EXPECT_EQ(recorder_->size(), 3u);
}

TEST_P(ThreadsTest, WhatIsThrownDuringSpeculationEndsNothing) {
  std::atomic<bool> has_thrown{false};
  EngineOptions options;
  options.speculation_budget = absl::Seconds(60);
  options.symbol_finder = [&](absl::string_view name) -> void* {
    if (name != "thrown") return nullptr;
    has_thrown = true;
    throw 42;
  };
  options.failure_handler = [](const FailedCall&) -> void* {
    return reinterpret_cast<void*>(+[](int64_t) -> int64_t { return -1; });
  };
  Create(std::move(options));
  Add(R"(
    declare i64 @thrown(i64)
    define i64 @first(i64 %x) {
      %c = icmp eq i64 %x, 0
      br i1 %c, label %a, label %b
    a:
      ret i64 1
    b:
      %r = call i64 @second(i64 %x)
      ret i64 %r
    }
    define i64 @second(i64 %x) { %r = call i64 @thrown(i64 %x)  ret i64 %r })");
  EXPECT_EQ(engine_->Lookup<int64_t(int64_t)>("first").value()(0), 1);
  if (GetParam() == 0) return;
  while (!has_thrown) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_EQ(engine_->Lookup<int64_t(int64_t)>("second").value()(2), -1);
}

#if !defined(ABSL_HAVE_THREAD_SANITIZER)  // It must be told of every change of stacks.

// A first call on a stack that LLVM would overrun.
ucontext_t main_context, fiber_context;
int64_t (*fiber_function)(int64_t);
int64_t fiber_result;

// Calls `function` with 5 on such a stack.
int64_t CallOnSmallStack(int64_t (*function)(int64_t)) {
  fiber_function = function;
  std::vector<char> stack(64 << 10);
  EXPECT_EQ(getcontext(&fiber_context), 0);
  fiber_context.uc_stack.ss_sp = stack.data();
  fiber_context.uc_stack.ss_size = stack.size();
  fiber_context.uc_link = &main_context;
  makecontext(
      &fiber_context, [] { fiber_result = fiber_function(5); }, 0);
  EXPECT_EQ(swapcontext(&main_context, &fiber_context), 0);
  return fiber_result;
}

TEST_P(ThreadsTest, CallersMayHaveSmallStacks) {
  Create();
  Add(Program(false));
  const auto lookup = [&](const char* name) {
    return engine_->Lookup<int64_t(int64_t)>(name).value();
  };
  EXPECT_EQ(CallOnSmallStack(lookup("f11")), 16);
  EXPECT_NE(recorder_->ThreadOf("f11"), std::this_thread::get_id());
  EXPECT_EQ(CallOnSmallStack(lookup("f12")), 17);
  EXPECT_NE(recorder_->ThreadOf("f12"), std::this_thread::get_id());
  // Others are compiled where the option says.
  EXPECT_EQ(lookup("f13")(5), 18);
  EXPECT_EQ(recorder_->ThreadOf("f13") == std::this_thread::get_id(), GetParam() == 0);
}

TEST_P(ThreadsTest, WhatIsPreparedOnASmallStackIsOptimizedToo) {
  EngineOptions options;
  options.tier = Tier::kAuto;
  Create(std::move(options));
  Add(Program(false));
  static Engine* preparing = nullptr;
  preparing = engine_.get();
  const auto prepare = [](int64_t) -> int64_t {
    PrepareOptions prepare;
    prepare.optimizes = true;
    return preparing->Prepare({"f3", "f4"}, prepare).ok();
  };
  EXPECT_EQ(CallOnSmallStack(prepare), 1);
  EXPECT_EQ(engine_->stats().promotions_made, 2u);
  EXPECT_NE(recorder_->ThreadOf("f3"), std::this_thread::get_id());
}

TEST_P(ThreadsTest, AChildsCallersMayHaveSmallStacks) {
  if (IsEmulated()) {
    GTEST_SKIP() << "a thread that a forked child makes may never start in the emulator";
  }
  Create();
  Add(Program(false));
  int64_t (*const in_both)(int64_t) = engine_->Lookup<int64_t(int64_t)>("f11").value();
  int64_t (*const in_child)(int64_t) = engine_->Lookup<int64_t(int64_t)>("f12").value();
  EXPECT_EQ(CallOnSmallStack(in_both), 16);
  const pid_t child = fork();
  if (child == 0) _exit(CallOnSmallStack(in_child) == 17 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

#endif

// --- Failures and exit ---

TEST_P(ThreadsTest, WhoWaitsGetsTheSameAnswer) {
  std::vector<std::string> reasons;
  absl::Mutex mutex;
  EngineOptions options;
  options.failure_handler = [&](const FailedCall& call) -> void* {
    absl::MutexLock lock(&mutex);
    reasons.emplace_back(call.status.message());
    return reinterpret_cast<void*>(+[](int64_t x) { return -x; });
  };
  Create(std::move(options));
  Add(Program(true));
  auto bad = engine_->Lookup<int64_t(int64_t)>("f15").value();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) threads.emplace_back([&] { EXPECT_EQ(bad(4), -4); });
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(reasons.size(), 8u);
  for (const std::string& reason : reasons) {
    EXPECT_THAT(reason, HasSubstr("linking function 'f15' of "));
    EXPECT_THAT(reason, HasSubstr("JIT session error: Symbols not found: [ nowhere ]"));
  }
}

TEST(ExitDeathTest, ProcessExitsWhileThreadsCompile) {
  for (int delay : {0, 1, 3, 10}) {
    EXPECT_EXIT(
        {
          EngineOptions options;
          options.compile_threads = 2;
          Engine* engine = Engine::Create(options).value().release();
          (void)engine->AddBitcode(ParseToBitcode(Program(false)), "program");
          std::thread([engine] { (void)engine->PrepareAll(); }).detach();
          engine->Lookup<int64_t(int64_t)>("f199").value()(1);
          absl::SleepFor(absl::Milliseconds(delay));
          std::exit(3);
        },
        testing::ExitedWithCode(3), "");
  }
}

TEST(ExitDeathTest, HandlersAreCompiledWhenTheHostExits) {
  EXPECT_EXIT(
      {
        Engine* engine = Engine::Create().value().release();
        (void)engine->AddBitcode(ParseToBitcode(R"(
          declare i32 @atexit(ptr)
          declare void @_exit(i32)
          define void @handler() {
            %y = call i64 @quotient(i64 85, i64 2)
            %status = trunc i64 %y to i32
            call void @_exit(i32 %status)
            ret void
          }
          define i64 @quotient(i64 %x, i64 %by) {
            %f = uitofp i64 %x to double
            %g = uitofp i64 %by to double
            %h = fdiv double %f, %g
            %y = fptoui double %h to i64
            ret i64 %y
          }
          define i64 @f(i64 %x) {
            call i32 @atexit(ptr @handler)
            ret i64 %x
          })"),
                                 "program");
        (void)engine->RunConstructors();
        engine->Lookup<int64_t(int64_t)>("f").value()(1);
        std::exit(3);
      },
      testing::ExitedWithCode(42), "");
}

std::atomic<bool> has_exited{false};
std::thread* calls_at_exit = nullptr;

void JoinAtExit() {
  has_exited = true;
  calls_at_exit->join();
  _exit(42);
}

TEST(ExitDeathTest, HandlersMayWaitForThreadsThatCompile) {
  for (const size_t compile_threads : {0, 2}) {
    EXPECT_EXIT(
        {
          alarm(60);  // Instead of waiting for ever.
          EngineOptions options;
          options.compile_threads = compile_threads;
          options.symbol_finder = [](absl::string_view name) -> void* {
            return name == "join" ? reinterpret_cast<void*>(&JoinAtExit) : nullptr;
          };
          Engine* engine = Engine::Create(options).value().release();
          (void)engine->AddBitcode(ParseToBitcode(R"(
            declare i32 @atexit(ptr)
            declare void @join()
            define void @late() { ret void }
            define void @registers() {
              call i32 @atexit(ptr @join)
              ret void
            })"),
                                   "program");
          (void)engine->RunConstructors();
          engine->Lookup<void()>("registers").value()();
          calls_at_exit = new std::thread([late = engine->Lookup<void()>("late").value()] {
            while (!has_exited) continue;
            late();
          });
          std::exit(3);
        },
        testing::ExitedWithCode(42), "");
  }
}

// --- Signals ---

int64_t (*called_in_handler)(int64_t);
void CallInHandler(int) { called_in_handler(1); }

TEST(SignalTest, FirstCallInAHandlerOutsideTheEngineWorks) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Program(false)), "program"), IsOk());
  called_in_handler = engine->Lookup<int64_t(int64_t)>("f7").value();
  signal(SIGUSR1, CallInHandler);
  raise(SIGUSR1);
  EXPECT_EQ(engine->stats().functions_compiled, 1u);
}

// A function that takes LLVM far longer than the timer of the tests.
std::string SlowToCompile() {
  std::string text = "define i64 @large(i64 %x) {\n  %y0 = add i64 %x, 1\n";
  for (int i = 1; i < 60000; ++i) {
    absl::StrAppend(&text, "  %y", i, " = mul i64 %y", i - 1, ", %x\n");
  }
  absl::StrAppend(&text, "  ret i64 %y59999\n}\n");
  return text;
}

TEST(SignalDeathTest, FirstCallThatInterruptsTheEngineIsReported) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Program(false)), "program"), IsOk());
  called_in_handler = engine->Lookup<int64_t(int64_t)>("f7").value();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(SlowToCompile()), "large"), IsOk());
  EXPECT_EXIT(
      {
        signal(SIGALRM, CallInHandler);
        ualarm(20000, 0);
        (void)engine->Prepare({"large"});
      },
      testing::ExitedWithCode(kFirstCallFailedExitStatus),
      "function 'f7' is called for the first time while its thread has unfinished work in the "
      "engine: a signal handler has interrupted that work, or has left it by longjmp");
}

sigjmp_buf before_compile;
void LeaveCompile(int) { siglongjmp(before_compile, 1); }

// What the engine had begun is never finished.
TEST(SignalDeathTest, FirstCallAfterAHandlerHasLeftTheEngineIsReportedAsThat) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(Program(false)), "program"), IsOk());
  called_in_handler = engine->Lookup<int64_t(int64_t)>("f7").value();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(SlowToCompile()), "large"), IsOk());
  EXPECT_EXIT(
      {
        signal(SIGALRM, LeaveCompile);
        if (sigsetjmp(before_compile, 1) == 0) {
          ualarm(20000, 0);
          (void)engine->Prepare({"large"});
          _exit(1);
        }
        called_in_handler(1);
      },
      testing::ExitedWithCode(kFirstCallFailedExitStatus),
      "function 'f7' is called for the first time while its thread has unfinished work in the "
      "engine: a signal handler has interrupted that work, or has left it by longjmp");
}

}  // namespace
}  // namespace firstcall

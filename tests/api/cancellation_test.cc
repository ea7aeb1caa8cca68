// Threads that are cancelled (pthread_cancel), which does not happen while they compile, because
// others would find what they have left.

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

int AddOne(int x) { return x + 1; }

// Calls a function for the first time on a thread of its own, which needs `finder` to find add_one,
// and then asks whether it was cancelled.
class FirstCall {
 public:
  // `cancels_before`: the thread is cancelled before the call.
  FirstCall(SymbolFinder finder, bool cancels_before) : cancels_before_(cancels_before) {
    EngineOptions options;
    options.symbol_finder = std::move(finder);
    engine_ = Engine::Create(options).value();
    EXPECT_THAT(engine_->AddAssembly("declare i32 @add_one(i32)\n"
                                     "define i32 @f(i32 %x) {\n"
                                     "  %r = call i32 @add_one(i32 %x)\n"
                                     "  ret i32 %r\n}",
                                     "module"),
                IsOk());
    function_ = engine_->Lookup<int(int)>("f").value();
    // GNU libc may give a new thread the record of an earlier one, with that one's result.
    std::thread([] {}).join();
    pthread_t thread;
    EXPECT_EQ(pthread_create(&thread, nullptr, &FirstCall::Run, this), 0);
    EXPECT_EQ(pthread_join(thread, &end_), 0);
  }

  void* end() const { return end_; }
  int result() const { return result_; }  // 0: the call has not returned.
  int CallAgain(int x) const { return function_(x); }

 private:
  static void* Run(void* argument) {
    auto* const call = static_cast<FirstCall*>(argument);
    if (call->cancels_before_) pthread_cancel(pthread_self());
    call->result_ = call->function_(1);
    pthread_testcancel();
    return nullptr;
  }

  const bool cancels_before_;
  std::unique_ptr<Engine> engine_;
  int (*function_)(int) = nullptr;
  int result_ = 0;
  void* end_ = nullptr;
};

TEST(CancellationTest, WaitsUntilAFirstCallHasCompiled) {
  const FirstCall call(
      [](absl::string_view name) -> void* {
        if (name != "add_one") return nullptr;
        pthread_testcancel();  // As reading a file does.
        return reinterpret_cast<void*>(&AddOne);
      },
      /*cancels_before=*/true);
  EXPECT_EQ(call.end(), PTHREAD_CANCELED);  // As soon as it had compiled.
  EXPECT_EQ(call.result(), 2);
  EXPECT_EQ(call.CallAgain(2), 3);
}

// A thread that may be cancelled anywhere ends where it would go on in the program.
TEST(CancellationTest, EndsAThreadThatAllowsItAnywhereBehindAFirstCall) {
#ifdef ABSL_HAVE_THREAD_SANITIZER
  GTEST_SKIP() << "the sanitizer's pthread_setcancelstate takes itself for never left";
#endif
  const FirstCall call(
      [](absl::string_view name) -> void* {
        if (name != "add_one") return nullptr;
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
        pthread_cancel(pthread_self());
        return reinterpret_cast<void*>(&AddOne);
      },
      /*cancels_before=*/false);
  EXPECT_EQ(call.end(), PTHREAD_CANCELED);
  EXPECT_EQ(call.result(), 0);
  EXPECT_EQ(call.CallAgain(2), 3);  // It was compiled.
}

struct Loop {
  void (*function)(std::atomic<bool>*);
  std::atomic<bool> runs{false};
};

// Threads in loops that call nothing, some of which are at a poll when they are cancelled.
TEST(CancellationTest, EndsLoopsAnywhere) {
#ifdef ABSL_HAVE_THREAD_SANITIZER
  GTEST_SKIP() << "with it, each function has something to do when it is unwound";
#endif
  EngineOptions options;
  options.tier = Tier::kAuto;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  for (int i = 0; i < 60; ++i) {
    const std::string name = absl::StrCat("loop", i);
    ASSERT_THAT(
        engine->AddAssembly(absl::StrReplaceAll(R"(
      define void @NAME(ptr %runs) {
      entry:
        store atomic i8 1, ptr %runs release, align 1
        br label %loop
      loop:
        %v = phi i64 [ NUMBER, %entry ], [ %w, %loop ]
        %m = mul i64 %v, 1664525
        %w = add i64 %m, 1013904223
        store volatile i64 %w, ptr @sink.NAME
        br label %loop
      }
      @sink.NAME = global i64 0)",
                                                {{"NAME", name}, {"NUMBER", absl::StrCat(i)}}),
                            name),
        IsOk());
    ASSERT_OK_AND_ASSIGN(auto function, engine->Lookup<void(std::atomic<bool>*)>(name));
    Loop loop{function};
    pthread_t thread;
    ASSERT_EQ(pthread_create(
                  &thread, nullptr,
                  [](void* argument) -> void* {
                    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
                    auto* const to_run = static_cast<Loop*>(argument);
                    to_run->function(&to_run->runs);
                    return nullptr;
                  },
                  &loop),
              0);
    while (!loop.runs) sched_yield();
    const absl::Time end_of_wait = absl::Now() + absl::Microseconds(70 * i);
    while (absl::Now() < end_of_wait) {
    }
    pthread_cancel(thread);
    void* end = nullptr;
    ASSERT_EQ(pthread_join(thread, &end), 0);
    EXPECT_EQ(end, PTHREAD_CANCELED);
  }
}

// Otherwise nobody would be told that no child comes, and no thread could compile any more.
TEST(CancellationTest, WaitsUntilTheProcessHasForked) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  ASSERT_THAT(engine->AddAssembly("define i32 @f() {\n  ret i32 5\n}", "module"), IsOk());
  ASSERT_OK_AND_ASSIGN(auto f, engine->Lookup<int()>("f"));
  // Another thread is at work, so that the one that forks waits, which it could be cancelled in.
  std::atomic<bool> goes_on{true};
  std::thread works([&] {
    for (int i = 0; goes_on; ++i) {
      (void)engine->AddAssembly(absl::StrCat("define void @g", i, "() {\n  ret void\n}"), "more");
    }
  });
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    ASSERT_EQ(pthread_create(
                  &thread, nullptr,
                  [](void*) -> void* {
                    pthread_cancel(pthread_self());
                    const pid_t child = fork();
                    if (child == 0) _exit(0);
                    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
                    waitpid(child, nullptr, 0);
                    return nullptr;
                  },
                  nullptr),
              0);
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
  }
  goes_on = false;
  works.join();
  EXPECT_EQ(f(), 5);
}

}  // namespace
}  // namespace firstcall

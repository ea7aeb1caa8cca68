// A thread that is to be cancelled (pthread_cancel) is not cancelled while it compiles, because
// others would find what it has left.

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

int AddOne(int x) { return x + 1; }

struct Call {
  int (*function)(int);
  int result = 0;
};

TEST(CancellationTest, WaitsUntilAFirstCallHasCompiled) {
  EngineOptions options;
  options.symbol_finder = [](absl::string_view name) -> void* {
    if (name != "add_one") return nullptr;
    pthread_testcancel();  // As reading a file does.
    return reinterpret_cast<void*>(&AddOne);
  };
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  ASSERT_THAT(engine->AddAssembly("declare i32 @add_one(i32)\n"
                                  "define i32 @f(i32 %x) {\n"
                                  "  %r = call i32 @add_one(i32 %x)\n"
                                  "  ret i32 %r\n}",
                                  "module"),
              IsOk());
  ASSERT_OK_AND_ASSIGN(auto f, engine->Lookup<int(int)>("f"));
  Call call{f};
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, nullptr,
                [](void* argument) -> void* {
                  auto* const to_do = static_cast<Call*>(argument);
                  pthread_cancel(pthread_self());
                  to_do->result = to_do->function(1);
                  pthread_testcancel();
                  return nullptr;
                },
                &call),
            0);
  void* end = nullptr;
  ASSERT_EQ(pthread_join(thread, &end), 0);
  EXPECT_EQ(end, PTHREAD_CANCELED);  // As soon as it had compiled.
  EXPECT_EQ(call.result, 2);
  EXPECT_EQ(f(2), 3);
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

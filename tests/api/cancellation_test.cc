// A thread that is to be cancelled (pthread_cancel) is not cancelled while it compiles, because
// others would find what it has left.

#include <pthread.h>

#include <memory>
#include <string>

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

}  // namespace
}  // namespace firstcall

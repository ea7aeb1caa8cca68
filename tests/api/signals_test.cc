// Signals that come while functions are compiled, and the functions that install handlers. (What
// whole programs do: tests/programs/single/signal_handlers.c, stopped_world.c, signal_stress.c.)

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

// To link the function, the engine asks the client's finder for `elsewhere`.
constexpr absl::string_view kCalls = R"(
  declare i64 @elsewhere(i64)
  define i64 @calls(i64 %x) {
    %y = call i64 @elsewhere(i64 %x)
    ret i64 %y
  })";

constexpr absl::string_view kSmall = R"(
  define i64 @small(i64 %x) {
    %y = add i64 %x, 7
    ret i64 %y
  })";

int64_t (*small_function)(int64_t);
volatile sig_atomic_t result_in_handler = 0;
void CallInHandler(int) { result_in_handler = static_cast<int>(small_function(1)); }

sigjmp_buf before_compile;
void LeaveByJump(int) { siglongjmp(before_compile, 1); }

int64_t Elsewhere(int64_t x) { return x; }

// A signal comes while `calls` is compiled: the client's finder raises it.
class HeldSignalsTest : public testing::Test {
 protected:
  HeldSignalsTest() {
    EngineOptions options;
    options.holds_signals = true;
    options.symbol_finder = [this](absl::string_view name) -> void* {
      if (name != "elsewhere") return nullptr;
      raise(SIGUSR1);
      has_raised_ = true;
      return reinterpret_cast<void*>(&Elsewhere);
    };
    engine_ = Engine::Create(options).value();
    EXPECT_THAT(engine_->AddAssembly(kSmall, "small"), IsOk());
    calls_ = engine_->AddAssembly(kCalls, "calls").value();
    small_function = engine_->Lookup<int64_t(int64_t)>("small").value();
    result_in_handler = 0;
  }
  ~HeldSignalsTest() override { std::signal(SIGUSR1, SIG_DFL); }

  bool has_raised_ = false;
  std::unique_ptr<Engine> engine_;
  ModuleId calls_;
};

TEST_F(HeldSignalsTest, AHandlerMayCallWhatIsNotCompiledYet) {
  std::signal(SIGUSR1, &CallInHandler);
  EXPECT_THAT(engine_->Prepare({"calls"}), IsOk());
  EXPECT_TRUE(has_raised_);
  EXPECT_EQ(result_in_handler, 8);
}

TEST_F(HeldSignalsTest, AHandlerMayLeaveByLongjmp) {
  std::signal(SIGUSR1, &LeaveByJump);
  if (sigsetjmp(before_compile, /*savemask=*/1) == 0) {
    (void)engine_->Prepare({"calls"});
    FAIL() << "the handler has not left";
  }
  EXPECT_TRUE(has_raised_);  // The handler ran when the engine's work was done.
  EXPECT_EQ(small_function(1), 8);
  EXPECT_EQ(engine_->stats().functions_compiled, 2u);
  EXPECT_THAT(engine_->Remove(calls_), IsOk());
}

// --- The functions that install handlers, as compiled code calls them ---

constexpr absl::string_view kInstalls = R"(
  declare ptr @signal(i32, ptr)
  declare i32 @sigaction(i32, ptr, ptr)
  declare i32 @pthread_atfork(ptr, ptr, ptr)
  declare void @missing()
  @received = global i32 0
  @action = global [256 x i8] zeroinitializer, align 8

  define internal void @helper(i32 %signal) noinline {
    %before = load volatile i32, ptr @received
    %after = add i32 %before, %signal
    store volatile i32 %after, ptr @received
    ret void
  }
  define void @handler(i32 %signal) {
    call void @helper(i32 %signal)
    ret void
  }
  define void @cannot_be_linked(i32 %signal) {
    call void @missing()
    ret void
  }
  define ptr @install(i32 %signal, ptr %handler) {
    %before = call ptr @signal(i32 %signal, ptr %handler)
    ret ptr %before
  }
  define i32 @install_by_sigaction(i32 %signal, ptr %handler) {
    store ptr %handler, ptr @action
    %error = call i32 @sigaction(i32 %signal, ptr @action, ptr null)
    ret i32 %error
  }
  define void @count_fork() {
    call void @helper(i32 100)
    ret void
  }
  define i32 @install_at_fork() {
    %error = call i32 @pthread_atfork(ptr @count_fork, ptr null, ptr null)
    ret i32 %error
  })";

using Handler = void(int);

class HandlerInstallersTest : public testing::Test {
 protected:
  explicit HandlerInstallersTest(EngineOptions options = {}) {
    engine_ = Engine::Create(options).value();
    EXPECT_THAT(engine_->AddAssembly(kInstalls, "installs"), IsOk());
    handler_ = engine_->Lookup<Handler>("handler").value();
    install_ = engine_->Lookup<Handler*(int, Handler*)>("install").value();
    received_ = static_cast<int*>(engine_->LookupAddress("received").value());
  }
  ~HandlerInstallersTest() override { std::signal(SIGUSR1, SIG_DFL); }

  size_t compiled() const { return engine_->stats().functions_compiled; }

  std::unique_ptr<Engine> engine_;
  Handler* handler_ = nullptr;
  Handler* (*install_)(int, Handler*) = nullptr;
  int* received_ = nullptr;
};

TEST_F(HandlerInstallersTest, PrepareAHandlerAndWhatItCalls) {
  EXPECT_EQ(install_(SIGUSR1, handler_), SIG_DFL);
  EXPECT_EQ(compiled(), 3u);  // install, handler, helper
  raise(SIGUSR1);
  EXPECT_EQ(compiled(), 3u);
  EXPECT_EQ(*received_, SIGUSR1);
}

// A client that finds the functions of the process itself.
class FoundInstallersTest : public HandlerInstallersTest {
 protected:
  FoundInstallersTest() : HandlerInstallersTest(WithFinder()) {}

  static EngineOptions WithFinder() {
    EngineOptions options;
    options.search_process_symbols = false;
    options.symbol_finder = [](absl::string_view name) {
      return dlsym(RTLD_DEFAULT, std::string(name).c_str());
    };
    return options;
  }
};

TEST_F(FoundInstallersTest, PrepareAHandlerAndWhatItCalls) {
  EXPECT_EQ(install_(SIGUSR1, handler_), SIG_DFL);
  EXPECT_EQ(compiled(), 3u);
}

TEST_F(HandlerInstallersTest, ReturnTheHandlerThatTheProgramHasGiven) {
  EXPECT_EQ(install_(SIGUSR1, handler_), SIG_DFL);
  EXPECT_EQ(install_(SIGUSR1, SIG_IGN), handler_);
  EXPECT_EQ(install_(SIGUSR1, SIG_DFL), SIG_IGN);
  EXPECT_EQ(install_(SIGKILL, handler_), SIG_ERR);
}

TEST_F(HandlerInstallersTest, PrepareTheHandlerOfAnAction) {
  const auto install = engine_->Lookup<int(int, Handler*)>("install_by_sigaction").value();
  EXPECT_EQ(install(SIGUSR1, handler_), 0);
  EXPECT_EQ(compiled(), 3u);
  struct sigaction action;
  sigaction(SIGUSR1, nullptr, &action);
  EXPECT_EQ(action.sa_handler, handler_);
}

TEST_F(HandlerInstallersTest, PrepareHandlersOfForks) {
  EXPECT_EQ(engine_->Lookup<int()>("install_at_fork").value()(), 0);
  EXPECT_EQ(compiled(), 3u);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(*received_, 100);
  engine_.release();  // The C library calls the handler at each later fork, too.
}

// It fails when it is called.
TEST_F(HandlerInstallersTest, InstallAHandlerThatCannotBeCompiled) {
  const auto bad = engine_->Lookup<Handler>("cannot_be_linked").value();
  EXPECT_EQ(install_(SIGUSR1, bad), SIG_DFL);
  struct sigaction action;
  sigaction(SIGUSR1, nullptr, &action);
  EXPECT_EQ(action.sa_handler, bad);
}

TEST_F(HandlerInstallersTest, TakeFunctionsOfTheHostAsTheyAre) {
  EXPECT_EQ(install_(SIGUSR1, &CallInHandler), SIG_DFL);
  EXPECT_EQ(install_(SIGUSR1, SIG_DFL), &CallInHandler);
}

Handler* OwnSignal(int, Handler*) { return &CallInHandler; }

class ClientsInstallersTest : public HandlerInstallersTest {
 protected:
  ClientsInstallersTest() : HandlerInstallersTest(Options()) {}

  static EngineOptions Options() {
    EngineOptions options;
    options.symbol_finder = [](absl::string_view name) -> void* {
      return name == "signal" ? reinterpret_cast<void*>(&OwnSignal) : nullptr;
    };
    return options;
  }
};

TEST_F(ClientsInstallersTest, AreCalledInTheirPlace) {
  EXPECT_EQ(install_(SIGUSR1, handler_), &CallInHandler);
  EXPECT_EQ(compiled(), 1u);
}

class EagerInstallersTest : public HandlerInstallersTest {
 protected:
  EagerInstallersTest() : HandlerInstallersTest(Options()) {}

  static EngineOptions Options() {
    EngineOptions options;
    options.mode = Mode::kEager;
    options.symbol_finder = [](absl::string_view name) -> void* {
      return name == "missing" ? reinterpret_cast<void*>(&OwnSignal) : nullptr;
    };
    return options;
  }
};

TEST_F(EagerInstallersTest, InstallAHandlerOfAModuleThatIsCompiledWhole) {
  EXPECT_EQ(install_(SIGUSR1, handler_), SIG_DFL);
  raise(SIGUSR1);
  EXPECT_EQ(*received_, SIGUSR1);
}

}  // namespace
}  // namespace firstcall

#include "services/isolation/isolated_engine.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/isolation/isolation_messages.h"
#include "tests/testing/host.h"
#include "tests/testing/mdwe.h"
#include "tests/testing/parent_of.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = ForeignKind;
using How = ChildEnd::How;

constexpr char kProgram[] = R"(
  @counter = global i32 0
  @text = constant [6 x i8] c"hello\00"

  declare void @abort()
  declare void @exit(i32)
  declare i32 @host_add(i32, i32)
  declare void @host_print(ptr)
  declare void @host_fails()
  declare double @host_recurses(i32)
  declare i32 @pthread_create(ptr, ptr, ptr, ptr)
  declare i32 @pthread_join(i64, ptr)
  declare ptr @malloc(i64)

  define i32 @square(i32 %x) {
    %y = mul i32 %x, %x
    ret i32 %y
  }
  define i32 @count() {
    %old = load i32, ptr @counter
    %new = add i32 %old, 1
    store i32 %new, ptr @counter
    ret i32 %new
  }
  define void @crash() {
    store volatile i32 1, ptr inttoptr (i64 16 to ptr)
    ret void
  }
  define void @aborts() {
    call void @abort()
    ret void
  }
  define void @exits(i32 %status) {
    call void @exit(i32 %status)
    ret void
  }
  define void @loops() {
    br label %loop
  loop:
    br label %loop
  }
  define i32 @adds(i32 %x) {
    %y = call i32 @host_add(i32 %x, i32 1)
    %z = call i32 @host_add(i32 %y, i32 %y)
    ret i32 %z
  }
  define void @prints() {
    call void @host_print(ptr @text)
    ret void
  }
  define void @fails() {
    call void @host_fails()
    ret void
  }
  define double @recurses(i32 %depth) {
    %is_last = icmp eq i32 %depth, 0
    br i1 %is_last, label %last, label %more
  last:
    ret double 0.5
  more:
    %less = sub i32 %depth, 1
    %below = call double @host_recurses(i32 %less)
    %sum = fadd double %below, 1.0
    ret double %sum
  }
  define ptr @thread(ptr %argument) {
    call void @host_print(ptr @text)
    ret ptr null
  }
  define void @calls_on_a_thread() {
    %id = alloca i64
    call i32 @pthread_create(ptr %id, ptr null, ptr @thread, ptr null)
    %thread = load i64, ptr %id
    call i32 @pthread_join(i64 %thread, ptr null)
    ret void
  }
  define i32 @sum(ptr %bytes, i32 %count) {
    %is_none = icmp eq i32 %count, 0
    br i1 %is_none, label %none, label %some
  none:
    ret i32 0
  some:
    %byte = load i8, ptr %bytes
    %value = zext i8 %byte to i32
    %next = getelementptr i8, ptr %bytes, i64 1
    %left = sub i32 %count, 1
    %rest = call i32 @sum(ptr %next, i32 %left)
    %total = add i32 %value, %rest
    ret i32 %total
  }
  define ptr @takes_memory(i64 %bytes) {
    %block = call ptr @malloc(i64 %bytes)
    ret ptr %block
  }
  define i32 @main(i32 %argc, ptr %argv) {
    ret i32 %argc
  }
)";

// Threads and processes that the code starts, and callbacks in them.
constexpr char kConcurrentProgram[] = R"(
  @background_thread = global i64 0
  @stops = global i32 0

  declare i32 @host_add(i32, i32)
  declare void @host_nests()
  declare void @host_throws()
  declare i32 @fork()
  declare i32 @pthread_create(ptr, ptr, ptr, ptr)
  declare i32 @pthread_join(i64, ptr)

  define ptr @background(ptr %argument) {
    br label %loop
  loop:
    call i32 @host_add(i32 1, i32 2)
    %stops = load atomic i32, ptr @stops seq_cst, align 4
    %ends = icmp ne i32 %stops, 0
    br i1 %ends, label %done, label %loop
  done:
    ret ptr null
  }
  define i32 @starts() {
    %r = call i32 @pthread_create(ptr @background_thread, ptr null, ptr @background, ptr null)
    ret i32 %r
  }
  define i32 @stops_it() {
    store atomic i32 1, ptr @stops seq_cst, align 4
    %thread = load i64, ptr @background_thread
    %r = call i32 @pthread_join(i64 %thread, ptr null)
    ret i32 %r
  }
  define void @nests() {
    call void @host_nests()
    ret void
  }
  define void @throws() {
    call void @host_throws()
    ret void
  }
  define void @calls_back_for_ever() {
    br label %loop
  loop:
    call i32 @host_add(i32 1, i32 2)
    br label %loop
  }
  define i32 @forks() {
    %process = call i32 @fork()
    %is_copy = icmp eq i32 %process, 0
    %result = zext i1 %is_copy to i32
    ret i32 %result
  }
)";

class IsolatedEngineTest : public ::testing::Test {
 protected:
  void Make(IsolationOptions isolation = {}, EngineOptions options = {}) {
    isolation.callbacks = {
        {"host_add",
         Kind::kInt32,
         {Kind::kInt32, Kind::kInt32},
         [](IsolatedEngine&, absl::Span<const ForeignValue> arguments, const ForeignValue& result) {
           *static_cast<int32_t*>(result.bytes) = *static_cast<int32_t*>(arguments[0].bytes) +
                                                  *static_cast<int32_t*>(arguments[1].bytes);
           return absl::OkStatus();
         }},
        {"host_print",
         Kind::kVoid,
         {Kind::kPointer},
         [this](IsolatedEngine& engine, absl::Span<const ForeignValue> arguments,
                const ForeignValue&) -> absl::Status {
           uint64_t address = 0;
           std::memcpy(&address, arguments[0].bytes, sizeof(address));
           FIRSTCALL_ASSIGN_OR_RETURN(std::string text, engine.Read(address, 5));
           printed_.push_back(std::move(text));
           return absl::OkStatus();
         }},
        {"host_fails",
         Kind::kVoid,
         {},
         [](IsolatedEngine&, absl::Span<const ForeignValue>, const ForeignValue&) {
           return absl::PermissionDeniedError("not you");
         }},
        {"host_recurses",
         Kind::kDouble,
         {Kind::kInt32},
         [](IsolatedEngine& engine, absl::Span<const ForeignValue> arguments,
            const ForeignValue& result) {
           return engine.Call("recurses", {Kind::kDouble, result.bytes},
                              {{Kind::kInt32, arguments[0].bytes}});
         }},
        {"host_nests",
         Kind::kVoid,
         {},
         [](IsolatedEngine& engine, absl::Span<const ForeignValue>, const ForeignValue&) {
           return engine.Call("calls_on_a_thread", {}, {});
         }},
        {"host_throws",
         Kind::kVoid,
         {},
         [](IsolatedEngine&, absl::Span<const ForeignValue>, const ForeignValue&) -> absl::Status {
           throw std::runtime_error("thrown");
         }},
    };
    ASSERT_OK_AND_ASSIGN(engine_, IsolatedEngine::Create(std::move(options), std::move(isolation)));
    ASSERT_OK_AND_ASSIGN(program_, engine_->AddAssembly(kProgram, "program"));
  }

  // What hangs is a failure soon enough.
  void MakeConcurrent() {
    IsolationOptions isolation;
    isolation.call_time = absl::Seconds(IsEmulated() || kSanitizerTakesMemory ? 40 : 20);
    Make(isolation);
    ASSERT_THAT(engine_->AddAssembly(kConcurrentProgram, "concurrent"), IsOk());
  }

  absl::Status CallVoid(const char* name) { return engine_->Call(name, {}, {}); }

  absl::StatusOr<int32_t> CallInt(const char* name, std::vector<int32_t> arguments = {}) {
    std::vector<ForeignValue> values;
    for (int32_t& argument : arguments) values.push_back({Kind::kInt32, &argument});
    int32_t result = 0;
    FIRSTCALL_RETURN_IF_ERROR(engine_->Call(name, {Kind::kInt32, &result}, values));
    return result;
  }

  std::unique_ptr<IsolatedEngine> engine_;
  ModuleId program_;
  std::vector<std::string> printed_;
};

TEST_F(IsolatedEngineTest, CallsRunInAnotherProcess) {
  Make();
  EXPECT_EQ(CallInt("square", {-12}).value(), 144);
  EXPECT_EQ(CallInt("count").value(), 1);
  EXPECT_EQ(CallInt("count").value(), 2);
  EXPECT_NE(engine_->process(), getpid());
  EXPECT_EQ(engine_->end(), std::nullopt);
  EXPECT_EQ(engine_->RunMain({"a", "b", "c"}).value(), 3);
}

TEST_F(IsolatedEngineTest, ErrorsOfTheEngineComeBack) {
  Make();
  EXPECT_THAT(CallInt("missing"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("'missing'")));
  EXPECT_THAT(CallInt("square"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(engine_->AddAssembly("define", "damaged"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("damaged")));
  EXPECT_THAT(engine_->AddFile("/does/not/exist"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(engine_->Remove(ModuleId{7}), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(engine_->RunMain({}, "missing"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(CallInt("square", {3}).value(), 9);
}

TEST_F(IsolatedEngineTest, OptionsThatAreNotPossibleAreReported) {
  EngineOptions options;
  options.triple = "sparc-unknown-linux-gnu";
  EXPECT_THAT(IsolatedEngine::Create(options, {}), StatusIs(absl::StatusCode::kInvalidArgument));
  IsolationOptions isolation;
  isolation.callbacks = {{"wide", Kind::kInt128, {}, nullptr}};
  EXPECT_THAT(IsolatedEngine::Create({}, isolation),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("'wide'")));
}

TEST_F(IsolatedEngineTest, AnEndIsAStatus) {
  Make();
  const struct {
    const char* function;
    ChildEnd end;
  } cases[] = {{"crash", {How::kSignaled, SIGSEGV}}, {"aborts", {How::kSignaled, SIGABRT}}};
  for (const auto& [function, end] : cases) {
    const absl::Status status = CallVoid(function);
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable,
                                 HasSubstr(absl::StrCat("calling '", function,
                                                        "': the isolated process has ended by ",
                                                        Describe(end)))));
    ASSERT_TRUE(engine_->end().has_value());
    EXPECT_EQ(engine_->end()->how, end.how);
    EXPECT_EQ(engine_->process(), 0);
    // So does every later call.
    EXPECT_THAT(CallInt("square", {2}),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr(Describe(end))));
    ASSERT_THAT(engine_->Restart(), IsOk());
    EXPECT_EQ(CallInt("square", {2}).value(), 4);
  }
  int32_t status = 5;
  EXPECT_THAT(engine_->Call("exits", {}, {{Kind::kInt32, &status}}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("exit status 5")));
}

TEST_F(IsolatedEngineTest, ARestartHasTheModulesAndNotTheirState) {
  Make();
  ASSERT_OK_AND_ASSIGN(const ModuleId removed,
                       engine_->AddAssembly("define i32 @removed() { ret i32 1 }", "removed"));
  ASSERT_OK_AND_ASSIGN(const ModuleId last,
                       engine_->AddAssembly("define i32 @last() { ret i32 2 }", "last"));
  ASSERT_THAT(engine_->Remove(removed), IsOk());
  EXPECT_EQ(CallInt("count").value(), 1);
  ASSERT_THAT(engine_->Restart(), IsOk());
  EXPECT_EQ(CallInt("count").value(), 1);
  EXPECT_THAT(CallInt("removed"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(CallInt("last").value(), 2);
  ASSERT_THAT(engine_->Remove(last), IsOk());
  EXPECT_THAT(CallInt("last"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(engine_->Remove(removed), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(IsolatedEngineTest, ACallThatTakesTooLongEndsTheProcess) {
  IsolationOptions isolation;
  isolation.call_time = absl::Seconds(IsEmulated() || kSanitizerTakesMemory ? 20 : 3);
  Make(isolation);
  EXPECT_THAT(CallVoid("loops"),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       HasSubstr("calling 'loops': the isolated process was ended after ")));
  ASSERT_TRUE(engine_->end().has_value());
  EXPECT_EQ(engine_->end()->how, How::kTimedOut);
  ASSERT_THAT(engine_->Restart(), IsOk());
  EXPECT_EQ(CallInt("square", {2}).value(), 4);
}

TEST_F(IsolatedEngineTest, AnotherThreadInterrupts) {
  Make();
  std::thread thread([&] {
    absl::SleepFor(absl::Milliseconds(20));
    engine_->Interrupt();
  });
  EXPECT_THAT(CallVoid("loops"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 9")));
  thread.join();
}

TEST_F(IsolatedEngineTest, CodeCallsBack) {
  Make();
  EXPECT_EQ(CallInt("adds", {20}).value(), 42);
  ASSERT_THAT(CallVoid("prints"), IsOk());
  EXPECT_THAT(printed_, ElementsAre("hello"));
}

TEST_F(IsolatedEngineTest, CallbacksAndCallsNest) {
  Make();
  int32_t depth = 20;
  double result = 0;
  ASSERT_THAT(engine_->Call("recurses", {Kind::kDouble, &result}, {{Kind::kInt32, &depth}}),
              IsOk());
  EXPECT_EQ(result, 20.5);
}

TEST_F(IsolatedEngineTest, AThreadOfTheProgramCallsBack) {
  Make();
  ASSERT_THAT(CallVoid("calls_on_a_thread"), IsOk());
  EXPECT_THAT(printed_, ElementsAre("hello"));
  EXPECT_EQ(CallInt("square", {3}).value(), 9);
}

TEST_F(IsolatedEngineTest, AFailedCallbackEndsTheProcess) {
  Make();
  EXPECT_THAT(CallVoid("fails"),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       HasSubstr("calling 'fails': the callback 'host_fails': not you")));
  EXPECT_TRUE(engine_->end().has_value());
}

TEST_F(IsolatedEngineTest, ThreadsOfTheClientTakeTurns) {
  Make();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 25; ++j) {
        EXPECT_EQ(CallInt("adds", {i}).value(), 2 * (i + 1));
        EXPECT_THAT(CallInt("count"), IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(CallInt("count").value(), 101);
}

// The thread has sent a callback when the next request arrives, which must not run on that thread.
TEST_F(IsolatedEngineTest, AThreadThatCallsBackMayBeWaitedFor) {
  MakeConcurrent();
  ASSERT_EQ(CallInt("starts").value_or(-1), 0);
  for (int32_t i = 0; i < 50; ++i) EXPECT_EQ(CallInt("square", {i}).value_or(-1), i * i);
  absl::SleepFor(absl::Milliseconds(5));
  EXPECT_EQ(CallInt("stops_it").value_or(-1), 0);
  EXPECT_EQ(CallInt("square", {3}).value_or(-1), 9);
}

TEST_F(IsolatedEngineTest, ACallInACallbackMayWaitForAThreadThatCallsBack) {
  MakeConcurrent();
  ASSERT_THAT(CallVoid("nests"), IsOk());
  EXPECT_THAT(printed_, ElementsAre("hello"));
  EXPECT_EQ(CallInt("square", {3}).value_or(-1), 9);
}

TEST_F(IsolatedEngineTest, EndlessCallbacksEndWithTheTime) {
  IsolationOptions isolation;
  isolation.call_time = absl::Seconds(IsEmulated() || kSanitizerTakesMemory ? 20 : 3);
  Make(isolation);
  ASSERT_THAT(engine_->AddAssembly(kConcurrentProgram, "concurrent"), IsOk());
  EXPECT_THAT(CallVoid("calls_back_for_ever"), StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(IsolatedEngineTest, AnExceptionOfACallbackLeavesTheCallAndEndsTheProcess) {
  MakeConcurrent();
  EXPECT_THROW(CallVoid("throws").IgnoreError(), std::runtime_error);
  EXPECT_TRUE(engine_->end().has_value());
  EXPECT_THAT(CallInt("square", {3}), StatusIs(absl::StatusCode::kUnavailable));
  ASSERT_THAT(engine_->Restart(), IsOk());
  EXPECT_EQ(CallInt("square", {3}).value_or(-1), 9);
}

// If it answered, its answer would be taken for that of the next call.
TEST_F(IsolatedEngineTest, AForkedCopyOfTheProcessDoesNotAnswer) {
  MakeConcurrent();
  for (int32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(CallInt("forks").value_or(-1), 0);
    EXPECT_EQ(CallInt("square", {i}).value_or(-1), i * i);
  }
}

TEST_F(IsolatedEngineTest, ACopyOfTheClientLeavesTheProcessAlone) {
  Make();
  const pid_t copy = fork();
  if (copy == 0) {
    engine_ = nullptr;
    _exit(0);
  }
  ASSERT_EQ(waitpid(copy, nullptr, 0), copy);
  EXPECT_EQ(CallInt("square", {3}).value_or(-1), 9);
}

TEST_F(IsolatedEngineTest, PathsAreRelativeToTheClientsDirectory) {
  Make();
  char directory[] = "/tmp/isolated_engine_testXXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  const std::string before = std::filesystem::current_path();
  ASSERT_EQ(chdir(directory), 0);
  std::ofstream("relative.ll") << "define i32 @relative() { ret i32 5 }";
  const absl::Status added = engine_->AddFile("relative.ll").status();
  ASSERT_EQ(chdir(before.c_str()), 0);
  ASSERT_THAT(added, IsOk());
  EXPECT_EQ(CallInt("relative").value_or(-1), 5);
  std::filesystem::remove_all(directory);
}

TEST_F(IsolatedEngineTest, TheClientMayHaveAnEngineWithThreads) {
  EngineOptions options;
  ASSERT_OK_AND_ASSIGN(auto engine, Engine::Create(options));
  ASSERT_THAT(engine->AddAssembly("define i32 @f(i32 %x) { ret i32 %x }", "f"), IsOk());
  ASSERT_OK_AND_ASSIGN(auto* f, engine->Lookup<int32_t(int32_t)>("f"));
  for (int32_t i = 0; i < 100000; ++i) EXPECT_EQ(f(i), i);
  Make();
  EXPECT_EQ(CallInt("square", {3}).value_or(-1), 9);
  ASSERT_THAT(engine_->Restart(), IsOk());
  EXPECT_EQ(CallInt("square", {4}).value_or(-1), 16);
}

TEST_F(IsolatedEngineTest, MemoryIsWrittenAndRead) {
  Make();
  // More than one piece.
  const std::string bytes = std::string(kLargestPiece, 'a') + "the end";
  ASSERT_OK_AND_ASSIGN(uint64_t address, engine_->Allocate(bytes.size()));
  ASSERT_THAT(engine_->Write(address, bytes), IsOk());
  ASSERT_OK_AND_ASSIGN(const std::string read, engine_->Read(address, bytes.size()));
  EXPECT_TRUE(read == bytes);
  int32_t count = 3;
  int32_t sum = 0;
  uint64_t end = address + kLargestPiece + 4;
  ASSERT_THAT(
      engine_->Call("sum", {Kind::kInt32, &sum}, {{Kind::kPointer, &end}, {Kind::kInt32, &count}}),
      IsOk());
  EXPECT_EQ(sum, 'e' + 'n' + 'd');
  EXPECT_THAT(engine_->Free(address), IsOk());
  EXPECT_THAT(engine_->Read(16, 1), StatusIs(absl::StatusCode::kUnavailable));
}

// FIRSTCALL_KILLS is the number of processes to kill.
TEST_F(IsolatedEngineTest, AProcessMayBeKilledAtAnyTime) {
  const char* const given = std::getenv("FIRSTCALL_KILLS");
  const int kills = given == nullptr ? 20 : std::atoi(given);
  Make();
  std::minstd_rand random(1);
  for (int i = 0; i < kills; ++i) {
    const pid_t process = engine_->process();
    const auto delay = absl::Microseconds(random() % 3000);
    std::thread killer([&] {
      absl::SleepFor(delay);
      kill(process, SIGKILL);
    });
    absl::StatusOr<int32_t> result = 0;
    for (int32_t x = 0; result.ok(); ++x) {
      result = CallInt("adds", {x});
      if (result.ok()) {
        EXPECT_EQ(*result, 2 * (x + 1));
      }
    }
    EXPECT_THAT(result, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 9")));
    killer.join();
    EXPECT_EQ(kill(process, 0), -1);  // Not even a zombie is left.
    ASSERT_THAT(engine_->Restart(), IsOk());
  }
}

TEST_F(IsolatedEngineTest, AKilledKeeperIsAStatusAndARestartGoesOn) {
  Make();
  for (int i = 0; i < 3; ++i) {
    kill(ParentOf(engine_->process()), SIGKILL);
    EXPECT_THAT(CallVoid("loops"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 9")));
    EXPECT_TRUE(engine_->end().has_value());
    ASSERT_THAT(engine_->Restart(), IsOk());
    EXPECT_EQ(CallInt("square", {i}).value_or(-1), i * i);
  }
}

TEST_F(IsolatedEngineTest, ARestartIsInterrupted) {
  Make();
  const pid_t keeper = ParentOf(engine_->process());
  EXPECT_THAT(CallVoid("crash"), StatusIs(absl::StatusCode::kUnavailable));
  kill(keeper, SIGSTOP);  // So that the restart waits.
  absl::Status restarted;
  std::thread thread([&] { restarted = engine_->Restart(); });
  // It is not seen when the restart has begun; too early an interrupt has no effect.
  for (int i = 0; i < 50; ++i) {
    absl::SleepFor(absl::Milliseconds(10));
    engine_->Interrupt();
  }
  kill(keeper, SIGCONT);
  thread.join();
  EXPECT_THAT(restarted, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 9")));
  // Those before it do not count.
  ASSERT_THAT(engine_->Restart(), IsOk());
  EXPECT_EQ(CallInt("square", {3}).value_or(-1), 9);
}

TEST_F(IsolatedEngineTest, MemoryIsLimited) {
  if (kSanitizerTakesMemory) GTEST_SKIP() << "the sanitizer needs memory, too";
  if (IsEmulated()) GTEST_SKIP() << "the emulator takes memory of its own";
  IsolationOptions isolation;
  isolation.memory = uint64_t{512} << 20;
  Make(isolation);
  const auto takes = [&](uint64_t bytes) {
    uint64_t block = 0;
    EXPECT_THAT(engine_->Call("takes_memory", {Kind::kPointer, &block}, {{Kind::kInt64, &bytes}}),
                IsOk());
    return block != 0;
  };
  EXPECT_TRUE(takes(uint64_t{1} << 20));
  EXPECT_FALSE(takes(uint64_t{600} << 20));
  EXPECT_THAT(engine_->Allocate(size_t{600} << 20), StatusIs(absl::StatusCode::kResourceExhausted));
}

// Neither for code of all kinds, nor for the callbacks' closures.
TEST_F(IsolatedEngineTest, NeedsNoMemoryThatIsWritableAndExecutable) {
  const std::optional<int> has_failed = RunUnderMdwe([this] {
    for (const Mode mode : {Mode::kLazy, Mode::kEager}) {
      for (const Tier tier : {Tier::kAuto, Tier::kOne}) {
        EngineOptions options;
        options.mode = mode;
        options.tier = tier;
        Make({}, options);
        EXPECT_EQ(CallInt("adds", {20}).value_or(-1), 42);
        EXPECT_THAT(engine_->Restart(), IsOk());
        EXPECT_EQ(CallInt("adds", {20}).value_or(-1), 42);
      }
    }
    engine_ = nullptr;
    return HasFailure() ? 1 : 0;
  });
  if (!has_failed) GTEST_SKIP() << kNoMdwe;
  EXPECT_EQ(has_failed, 0);
}

TEST_F(IsolatedEngineTest, DestructorsRunAtTheEnd) {
  const std::string path = ::testing::TempDir() + "/destructed";
  MakeConcurrent();
  ASSERT_EQ(CallInt("starts").value_or(-1), 0);  // A thread is in a callback.
  ASSERT_THAT(engine_->AddAssembly(absl::StrCat(R"(
      @path = constant [)",
                                                path.size() + 1, R"( x i8] c")", path, R"(\00"
      @llvm.global_ctors = appending global [0 x { i32, ptr, ptr }] []
      @llvm.global_dtors = appending global [1 x { i32, ptr, ptr }]
          [{ i32, ptr, ptr } { i32 65535, ptr @makes_a_file, ptr null }]
      declare i32 @creat(ptr, i32)
      define void @makes_a_file() {
        call i32 @creat(ptr @path, i32 384)
        ret void
      })"),
                                   "destructors"),
              IsOk());
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_FALSE(std::ifstream(path).good());
  engine_ = nullptr;
  EXPECT_TRUE(std::ifstream(path).good());
}

TEST_F(IsolatedEngineTest, ARestartWithinACallbackIsRefused) {
  absl::Status restarted;
  IsolationOptions isolation;
  isolation.callbacks = {
      {"host_restarts",
       Kind::kVoid,
       {},
       [&](IsolatedEngine& engine, absl::Span<const ForeignValue>, const ForeignValue&) {
         restarted = engine.Restart();
         return absl::OkStatus();
       }}};
  ASSERT_OK_AND_ASSIGN(engine_, IsolatedEngine::Create({}, isolation));
  ASSERT_THAT(
      engine_->AddAssembly("declare void @host_restarts()\n"
                           "define void @restarts() {\n call void @host_restarts()\n ret void\n}",
                           "restarts"),
      IsOk());
  EXPECT_THAT(CallVoid("restarts"), IsOk());
  EXPECT_THAT(restarted, StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace firstcall

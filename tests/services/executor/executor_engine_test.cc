// Programs that are compiled here and run in an executing process, which this one has forked.

#include "services/executor/executor_engine.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/executor/serve_executor.h"
#include "tests/testing/socket_pair.h"
#include "tests/testing/status_matchers.h"

// What the executing process offers to compiled code, and counts.
extern "C" {
int executor_engine_test_calls = 0;
int executor_engine_test_twice(int number) {
  ++executor_engine_test_calls;
  return 2 * number;
}
[[gnu::weak]] int executor_engine_test_shared() { return 1; }
}

namespace firstcall {
namespace {

using ::testing::HasSubstr;

class ExecutorEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SocketPair sockets;
    process_ = fork();
    ASSERT_GE(process_, 0);
    if (process_ == 0) {
      sockets.one.Close();
      _exit(ServeExecutor(sockets.other.Release()).ok() ? 0 : 1);
    }
    sockets.other.Close();
    ExecutorEngineOptions options;
    options.arena_sizes = SegmentSizes{1 << 20, 1 << 20, 1 << 20};
    ASSERT_OK_AND_ASSIGN(engine_, ExecutorEngine::Create(sockets.one.Release(), options));
  }
  void TearDown() override {
    engine_ = nullptr;
    if (process_ > 0) {
      EXPECT_EQ(ExitStatus(), 0);
    }
  }

  int ExitStatus() {
    int status = -1;
    EXPECT_EQ(waitpid(std::exchange(process_, -1), &status, 0) > 0, true);
    return status;
  }

  absl::StatusOr<int> CallInt(const std::string& function, int argument) {
    int result = 0;
    absl::Status status =
        engine_->Call(function, {ForeignKind::kInt32, &result}, {{ForeignKind::kInt32, &argument}});
    if (!status.ok()) return status;
    return result;
  }

  pid_t process_ = -1;
  std::unique_ptr<ExecutorEngine> engine_;
};

TEST_F(ExecutorEngineTest, FunctionsRunInTheOtherProcess) {
  ASSERT_THAT(engine_->AddAssembly(R"(
    @calls = global i32 0
    declare i32 @executor_engine_test_twice(i32)
    declare i32 @getpid()
    define i32 @count(i32 %n) {
      %before = load i32, ptr @calls
      %after = add i32 %before, %n
      store i32 %after, ptr @calls
      %twice = call i32 @executor_engine_test_twice(i32 %after)
      ret i32 %twice
    }
    define i32 @process(i32 %unused) {
      %id = call i32 @getpid()
      ret i32 %id
    }
  )",
                                   "count.ll"),
              IsOk());
  EXPECT_EQ(*CallInt("count", 3), 6);
  EXPECT_EQ(*CallInt("count", 4), 14);
  EXPECT_EQ(*CallInt("process", 0), process_);
  EXPECT_EQ(executor_engine_test_calls, 0) << "it was called in this process";
  ASSERT_OK_AND_ASSIGN(const ExecutorAddress calls, engine_->LookupAddress("calls"));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, engine_->Read(calls, sizeof(int)));
  int value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  EXPECT_EQ(value, 7);
}

TEST_F(ExecutorEngineTest, ModulesReferToEachOtherAndShareWeakDefinitions) {
  ASSERT_THAT(engine_->AddAssembly(R"(
    @number = external global i32
    declare i32 @second(i32)
    define linkonce_odr i32 @inline(i32 %n) { ret i32 1 }
    define i32 @first(i32 %n) {
      %a = call i32 @second(i32 %n)
      %b = call i32 @inline(i32 %n)
      %c = load i32, ptr @number
      %ab = add i32 %a, %b
      %abc = add i32 %ab, %c
      ret i32 %abc
    }
  )",
                                   "first.ll"),
              IsOk());
  EXPECT_THAT(CallInt("first", 1),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("Symbols not found: [ ")));
  ASSERT_THAT(engine_->AddAssembly(R"(
    @number = global i32 100
    define linkonce_odr i32 @inline(i32 %n) { ret i32 2 }
    define i32 @second(i32 %n) {
      %inline = call i32 @inline(i32 %n)
      %ten = mul i32 %inline, 10
      ret i32 %ten
    }
  )",
                                   "second.ll"),
              IsOk());
  // Both calls reach the first definition.
  EXPECT_EQ(*CallInt("first", 1), 10 + 1 + 100);
  EXPECT_THAT(engine_->AddAssembly("define i32 @second(i32 %n) { ret i32 0 }", "third.ll"),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("'second'")));
}

TEST_F(ExecutorEngineTest, WeakDefinitionsGiveWayToThoseOfTheProcess) {
  ASSERT_THAT(engine_->AddAssembly(R"(
    declare extern_weak i32 @executor_engine_test_nowhere()
    define weak i32 @executor_engine_test_shared() { ret i32 2 }
    define i32 @shared(i32 %n) {
      %value = call i32 @executor_engine_test_shared()
      %is_there = icmp ne ptr @executor_engine_test_nowhere, null
      %there = zext i1 %is_there to i32
      %result = add i32 %value, %there
      ret i32 %result
    }
  )",
                                   "weak.ll"),
              IsOk());
  EXPECT_EQ(*CallInt("shared", 0), 1);
}

// Nothing is linked by then, so nothing has been settled.
TEST_F(ExecutorEngineTest, AStrongDefinitionReplacesAWeakOneAfterLinkingHasFailed) {
  ASSERT_THAT(engine_->AddAssembly(R"(
    declare i32 @missing()
    define weak i32 @executor_engine_test_shared() { ret i32 2 }
    define i32 @shared(i32 %n) {
      %value = call i32 @executor_engine_test_shared()
      %more = call i32 @missing()
      %sum = add i32 %value, %more
      ret i32 %sum
    }
  )",
                                   "weak.ll"),
              IsOk());
  EXPECT_THAT(CallInt("shared", 0), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_THAT(engine_->AddAssembly("define i32 @executor_engine_test_shared() { ret i32 30 }\n"
                                   "define i32 @missing() { ret i32 4 }",
                                   "strong.ll"),
              IsOk());
  EXPECT_EQ(*CallInt("shared", 0), 34);
}

TEST_F(ExecutorEngineTest, ProgramsHaveConstructorsArgumentsThreadLocalsAndExitHandlers) {
  ASSERT_THAT(engine_->AddAssembly(R"(
    @state = global i32 1
    @ended = thread_local global i32 5
    @llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [
      { i32, ptr, ptr } { i32 200, ptr @add, ptr null },
      { i32, ptr, ptr } { i32 100, ptr @double, ptr null }]
    @llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [
      { i32, ptr, ptr } { i32 100, ptr @double, ptr null }]
    declare i32 @atexit(ptr)
    define internal void @add() {
      %before = load i32, ptr @state
      %after = add i32 %before, 5
      store i32 %after, ptr @state
      ret void
    }
    define internal void @double() {
      %before = load i32, ptr @state
      %after = mul i32 %before, 2
      store i32 %after, ptr @state
      ret void
    }
    define i32 @main(i32 %argc, ptr %argv) {
      %registered = call i32 @atexit(ptr @add)
      %local = load i32, ptr @ended
      %state = load i32, ptr @state
      %all = mul i32 %state, 100
      %some = mul i32 %argc, 10
      %sum = add i32 %all, %some
      %result = add i32 %sum, %local
      ret i32 %result
    }
    define i32 @state_now(i32 %unused) {
      %state = load i32, ptr @state
      ret i32 %state
    }
  )",
                                   "program.ll"),
              IsOk());
  // The constructors make 1 * 2 + 5.
  EXPECT_EQ(*engine_->RunMain({"program", "argument"}), 700 + 20 + 5);
  ASSERT_THAT(engine_->RunDestructors(), IsOk());
  EXPECT_EQ(*CallInt("state_now", 0), (7 + 5) * 2);
  EXPECT_THAT(engine_->RunMain({}, "elsewhere"), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_THAT(engine_->AddAssembly("module asm \".globl named\\0Anamed: nop\"", "assembly.ll"),
              IsOk());
  EXPECT_THAT(engine_->RunMain({}, "named"), StatusIs(absl::StatusCode::kInvalidArgument));
}

// The unwinder of the executing process has to find the tables.
TEST_F(ExecutorEngineTest, ExceptionsAreCaughtThereOrBecomeErrors) {
  ASSERT_THAT(engine_->AddAssembly(R"(
    @_ZTIi = external constant ptr
    declare ptr @__cxa_allocate_exception(i64)
    declare void @__cxa_throw(ptr, ptr, ptr)
    declare ptr @__cxa_begin_catch(ptr)
    declare void @__cxa_end_catch()
    declare i32 @__gxx_personality_v0(...)
    define i32 @throw(i32 %n) uwtable {
      %exception = call ptr @__cxa_allocate_exception(i64 4)
      store i32 %n, ptr %exception
      call void @__cxa_throw(ptr %exception, ptr @_ZTIi, ptr null)
      unreachable
    }
    define i32 @catch(i32 %n) uwtable personality ptr @__gxx_personality_v0 {
      %none = invoke i32 @throw(i32 %n) to label %returned unwind label %thrown
    returned:
      ret i32 -1
    thrown:
      %pad = landingpad { ptr, i32 } catch ptr @_ZTIi
      %exception = extractvalue { ptr, i32 } %pad, 0
      %value = call ptr @__cxa_begin_catch(ptr %exception)
      %number = load i32, ptr %value
      call void @__cxa_end_catch()
      ret i32 %number
    }
  )",
                                   "throw.ll"),
              IsOk());
  EXPECT_EQ(*CallInt("catch", 77), 77);
  EXPECT_THAT(CallInt("throw", 1),
              StatusIs(absl::StatusCode::kUnknown,
                       HasSubstr("calling 'throw': a C++ exception was thrown")));
  EXPECT_EQ(*CallInt("catch", 78), 78);
}

TEST_F(ExecutorEngineTest, ConstructorsGoOnBehindOneThatThrows) {
  ASSERT_THAT(engine_->AddAssembly(R"(
    @state = global i32 0
    @_ZTIi = external constant ptr
    @llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [
      { i32, ptr, ptr } { i32 1, ptr @throw, ptr null },
      { i32, ptr, ptr } { i32 2, ptr @set, ptr null }]
    declare ptr @__cxa_allocate_exception(i64)
    declare void @__cxa_throw(ptr, ptr, ptr)
    define internal void @throw() uwtable {
      %exception = call ptr @__cxa_allocate_exception(i64 4)
      call void @__cxa_throw(ptr %exception, ptr @_ZTIi, ptr null)
      unreachable
    }
    define internal void @set() {
      store i32 5, ptr @state
      ret void
    }
    define i32 @state_now(i32 %unused) {
      %state = load i32, ptr @state
      ret i32 %state
    }
  )",
                                   "constructors.ll"),
              IsOk());
  EXPECT_THAT(engine_->RunConstructors(), StatusIs(absl::StatusCode::kUnknown));
  EXPECT_EQ(*CallInt("state_now", 0), 0);
  EXPECT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_EQ(*CallInt("state_now", 0), 5);
}

TEST_F(ExecutorEngineTest, MemoryOfTheProcessHoldsArguments) {
  ASSERT_THAT(engine_->AddAssembly(R"(
    define i32 @second_of(ptr %numbers) {
      %place = getelementptr i32, ptr %numbers, i32 1
      %number = load i32, ptr %place
      ret i32 %number
    }
  )",
                                   "second.ll"),
              IsOk());
  const int numbers[] = {11, 22};
  ASSERT_OK_AND_ASSIGN(const ExecutorAddress memory, engine_->Allocate(sizeof(numbers)));
  const std::string bytes(reinterpret_cast<const char*>(numbers), sizeof(numbers));
  ASSERT_THAT(engine_->Write(memory, bytes), IsOk());
  EXPECT_EQ(*engine_->Read(memory, sizeof(numbers)), bytes);
  int result = 0;
  uint64_t address = memory.value();
  ASSERT_THAT(engine_->Call("second_of", {ForeignKind::kInt32, &result},
                            {{ForeignKind::kPointer, &address}}),
              IsOk());
  EXPECT_EQ(result, 22);
  EXPECT_THAT(engine_->Free(memory), IsOk());
  EXPECT_THAT(engine_->Read(memory, size_t{17} << 20),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(ExecutorEngineTest, ACrashThereIsAnErrorHere) {
  ASSERT_THAT(engine_->AddAssembly(R"(
    declare void @abort()
    define i32 @crash(i32 %n) {
      call void @abort()
      unreachable
    }
  )",
                                   "crash.ll"),
              IsOk());
  EXPECT_THAT(CallInt("crash", 0),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("the executing process is gone")));
  EXPECT_THAT(CallInt("crash", 0), StatusIs(absl::StatusCode::kUnavailable));
  const int status = ExitStatus();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
}

TEST_F(ExecutorEngineTest, WrongModulesAndFunctionsAreErrors) {
  EXPECT_THAT(engine_->AddBitcode("no bitcode", "wrong.bc"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("wrong.bc")));
  EXPECT_THAT(engine_->AddFile("/nowhere.bc"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(CallInt("nothing", 0),
              StatusIs(absl::StatusCode::kNotFound, "no module defines 'nothing'"));
  EXPECT_THAT(engine_->LookupAddress("getpid"), StatusIs(absl::StatusCode::kNotFound));
}

TEST(ExecutorEngineCreateTest, WrongOptionsAreErrors) {
  ExecutorEngineOptions contradiction;
  contradiction.backend = Backend::kMcjit;
  contradiction.baseline = Baseline::kStrict;
  EXPECT_THAT(ExecutorEngine::Create(SocketPair().one.Release(), contradiction),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ExecutorEngineCreateTest, AProcessThatIsGoneIsAnError) {
  SocketPair sockets;
  sockets.other.Close();
  EXPECT_THAT(ExecutorEngine::Create(sockets.one.Release()),
              StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace firstcall

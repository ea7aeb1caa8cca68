// Modules that are removed, and code that is detached: what is freed, what still works, and what a
// stale stub says.

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/notification.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> reported;
extern "C" {
void firstcall_test_report(int value) { reported.push_back(value); }
void firstcall_test_throw() { throw std::runtime_error("from the host"); }
}

std::function<void()> during_call;
extern "C" void firstcall_test_during_call() { during_call(); }

std::string last_failure;
int Replacement(int) { return -1; }

enum class Source { kBitcode, kMemory };

struct Case {
  Mode mode;
  Source source;
};

class RemovalTest : public testing::TestWithParam<Case> {
 protected:
  RemovalTest() {
    reported.clear();
    last_failure.clear();
    engine_ = Make();
  }

  static std::unique_ptr<Engine> Make() {
    EngineOptions options;
    options.mode = GetParam().mode;
    options.failure_handler = [](const FailedCall& call) -> void* {
      last_failure =
          absl::StrCat(absl::StatusCodeToString(call.status.code()), ": ", call.status.message());
      return reinterpret_cast<void*>(&Replacement);
    };
    return Engine::Create(std::move(options)).value();
  }

  ModuleId Add(absl::string_view text, absl::string_view name = "module") {
    absl::StatusOr<ModuleId> id = GetParam().source == Source::kBitcode
                                      ? engine_->AddBitcode(ParseToBitcode(text), name)
                                      : engine_->AddAssembly(text, name);
    EXPECT_THAT(id, IsOk());
    return id.value_or(ModuleId());
  }

  // Runs `action` after another thread has called @construct, and before that thread ends.
  void WhileAnotherThreadHasAnObject(const std::function<void()>& action) {
    absl::Notification constructed, done;
    std::thread thread([&] {
      Call("construct", 1);
      constructed.Notify();
      done.WaitForNotification();
    });
    constructed.WaitForNotification();
    action();
    done.Notify();
    thread.join();
  }

  int Call(absl::string_view name, int argument = 0) {
    absl::StatusOr<int (*)(int)> function = engine_->Lookup<int(int)>(name);
    EXPECT_THAT(function, IsOk());
    return function.ok() ? (*function)(argument) : -1;
  }

  bool IsLazy() const { return GetParam().mode == Mode::kLazy; }

  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(
    Cases, RemovalTest,
    testing::Values(Case{Mode::kLazy, Source::kBitcode}, Case{Mode::kLazy, Source::kMemory},
                    Case{Mode::kEager, Source::kBitcode}, Case{Mode::kEager, Source::kMemory}),
    [](const testing::TestParamInfo<Case>& info) {
      return absl::StrCat(info.param.mode == Mode::kLazy ? "Lazy" : "Eager",
                          info.param.source == Source::kBitcode ? "Bitcode" : "Memory");
    });

// Of what only lazily compiled code has: stubs.
class StaleStubTest : public RemovalTest {};

INSTANTIATE_TEST_SUITE_P(Cases, StaleStubTest,
                         testing::Values(Case{Mode::kLazy, Source::kBitcode},
                                         Case{Mode::kLazy, Source::kMemory}));

constexpr char kCounter[] = R"(
  @count = internal global i32 0
  @shared = global i32 5
  @text = private unnamed_addr constant [3 x i8] c"ab\00"
  define i32 @next(i32 %by) {
    %old = load i32, ptr @count
    %new = add i32 %old, %by
    store i32 %new, ptr @count
    ret i32 %new
  }
  define i32 @first(i32 %i) {
    %p = getelementptr [3 x i8], ptr @text, i32 0, i32 %i
    %c = load i8, ptr %p
    %r = zext i8 %c to i32
    ret i32 %r
  }
)";

TEST_P(RemovalTest, RemovedNamesAreGoneAndMayBeDefinedAnew) {
  const ModuleId id = Add(kCounter);
  EXPECT_EQ(Call("next", 2), 2);
  EXPECT_EQ(Call("next", 3), 5);
  ASSERT_THAT(engine_->Remove(id), IsOk());
  EXPECT_THAT(engine_->LookupAddress("next"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(engine_->LookupAddress("shared"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(engine_->Remove(id), StatusIs(absl::StatusCode::kNotFound));
  Add(kCounter);
  EXPECT_EQ(Call("next", 1), 1);
}

TEST_P(RemovalTest, EverythingIsGivenBack) {
  const size_t before = engine_->stats().memory.used.total();
  for (int i = 0; i < 3; ++i) {
    const ModuleId id = Add(kCounter);
    EXPECT_EQ(Call("next", 2), 2);
    EXPECT_EQ(Call("first", 1), 'b');
    ASSERT_THAT(engine_->Remove(id), IsOk());
  }
  EXPECT_EQ(engine_->stats().modules_removed, 3u);
  // A block of stubs and one of counters were made, and stay.
  const size_t after = engine_->stats().memory.used.total();
  EXPECT_LE(after - before, IsLazy() ? 13000u : 0u);
  EXPECT_EQ(engine_->stats().stubs_made, 0u);
}

TEST_P(StaleStubTest, StaleStubGoesToTheFailureHandler) {
  const ModuleId id = Add(kCounter, "counter");
  auto* next = *engine_->Lookup<int(int)>("next");
  auto* first = *engine_->Lookup<int(int)>("first");
  EXPECT_EQ(next(1), 1);
  ASSERT_THAT(engine_->Remove(id), IsOk());
  EXPECT_EQ(next(1), -1);
  EXPECT_EQ(last_failure,
            "FAILED_PRECONDITION: function 'next' of 'counter' is called, but its module was "
            "removed");
  EXPECT_EQ(first(1), -1);
  EXPECT_THAT(last_failure, HasSubstr("function 'first' of 'counter'"));
}

TEST_P(StaleStubTest, OtherModulesGoOn) {
  Add("declare i32 @next(i32)  define i32 @user(i32 %x) { %r = call i32 @next(i32 %x) ret i32 %r }"
      "define i32 @other(i32 %x) { ret i32 %x }");
  const ModuleId id = Add(kCounter, "counter");
  EXPECT_EQ(Call("user", 4), 4);
  ASSERT_THAT(engine_->Remove(id), IsOk());
  EXPECT_EQ(Call("user", 4), -1);
  EXPECT_EQ(Call("other", 4), 4);
}

constexpr char kWithLifecycle[] = R"(
  declare void @firstcall_test_report(i32)
  declare i32 @atexit(ptr)
  @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @begin, ptr null }]
  @llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @end, ptr null }]
  define internal void @handler() { call void @firstcall_test_report(i32 2) ret void }
  define internal void @begin() { call void @firstcall_test_report(i32 1) %r = call i32 @atexit(ptr @handler) ret void }
  define internal void @end() { call void @firstcall_test_report(i32 3) ret void }
)";

TEST_P(RemovalTest, RemovingRunsHandlersAndDestructors) {
  const ModuleId id = Add(kWithLifecycle);
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(reported, ElementsAre(1));
  ASSERT_THAT(engine_->Remove(id), IsOk());
  EXPECT_THAT(reported, ElementsAre(1, 2, 3));
  engine_ = nullptr;
  EXPECT_THAT(reported, ElementsAre(1, 2, 3));
}

TEST_P(RemovalTest, OnlyItsOwnHandlersRun) {
  const ModuleId id = Add(kWithLifecycle);
  Add(R"(
    declare void @firstcall_test_report(i32)
    declare i32 @atexit(ptr)
    define internal void @other_handler() { call void @firstcall_test_report(i32 9) ret void }
    define i32 @registers(i32) { %r = call i32 @atexit(ptr @other_handler) ret i32 %r }
  )");
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_EQ(Call("registers"), 0);
  ASSERT_THAT(engine_->Remove(id), IsOk());
  EXPECT_THAT(reported, ElementsAre(1, 2, 3));
  engine_ = nullptr;
  EXPECT_THAT(reported, ElementsAre(1, 2, 3, 9));
}

// The function that a module runs at its beginning or end, which calls back and then reports.
std::string Lifecycle(absl::string_view list, int value) {
  return absl::StrCat(R"(
    declare void @firstcall_test_during_call()
    declare void @firstcall_test_report(i32)
    @)",
                      list, R"( = appending global [1 x { i32, ptr, ptr }]
      [{ i32, ptr, ptr } { i32 65535, ptr @step, ptr null }]
    define internal void @step() {
      call void @firstcall_test_during_call()
      call void @firstcall_test_report(i32 )",
                      value, R"()
      ret void
    }
  )");
}

TEST_P(RemovalTest, AConstructorMayRemoveAModuleWhoseTurnHasNotCome) {
  Add(Lifecycle("llvm.global_ctors", 1), "first");
  const ModuleId second = Add(Lifecycle("llvm.global_ctors", 2), "second");
  Add(Lifecycle("llvm.global_ctors", 3), "third");
  during_call = [&] {
    if (reported.empty()) {
      EXPECT_THAT(engine_->Remove(second), IsOk());
    }
  };
  EXPECT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(reported, ElementsAre(1, 3));
}

TEST_P(RemovalTest, ADestructorMayRemoveAModuleWhoseTurnHasNotCome) {
  during_call = [] {};
  const ModuleId first = Add(Lifecycle("llvm.global_dtors", 1), "first");
  Add(Lifecycle("llvm.global_dtors", 2), "second");
  EXPECT_THAT(engine_->RunConstructors(), IsOk());
  bool is_removed = false;
  during_call = [&] {
    if (!std::exchange(is_removed, true)) {
      EXPECT_THAT(engine_->Remove(first), IsOk());
    }
  };
  engine_->RunDestructors();
  EXPECT_TRUE(is_removed);
  EXPECT_THAT(reported, ElementsAre(2));
}

TEST_P(RemovalTest, AModuleThatEndsIsNotRemovedAgain) {
  during_call = [] {};
  const ModuleId module = Add(Lifecycle("llvm.global_dtors", 1), "module");
  EXPECT_THAT(engine_->RunConstructors(), IsOk());
  during_call = [&] {
    // While its destructor runs.
    std::thread([&] {
      EXPECT_THAT(engine_->Remove(module),
                  StatusIs(absl::StatusCode::kNotFound, HasSubstr("there is none")));
    }).join();
  };
  EXPECT_THAT(engine_->Remove(module), IsOk());
  EXPECT_THAT(reported, ElementsAre(1));
}

TEST_P(RemovalTest, WhatNeverBeganIsNotEnded) {
  ASSERT_THAT(engine_->Remove(Add(kWithLifecycle)), IsOk());
  EXPECT_THAT(reported, ElementsAre());
}

TEST_P(StaleStubTest, AWeakDefinitionCountsAgain) {
  Add("define weak i32 @f(i32) { ret i32 1 }", "weak");
  const ModuleId strong = Add("define i32 @f(i32) { ret i32 2 }", "strong");
  EXPECT_EQ(Call("f"), 2);
  ASSERT_THAT(engine_->Remove(strong), IsOk());
  EXPECT_EQ(Call("f"), 1);
}

TEST_P(StaleStubTest, TheFirstWeakDefinitionCountsAgain) {
  Add("define weak i32 @f(i32) { ret i32 1 }", "first");
  Add("define weak i32 @f(i32) { ret i32 2 }", "second");
  const ModuleId strong = Add("define i32 @f(i32) { ret i32 3 }", "strong");
  EXPECT_EQ(Call("f"), 3);
  ASSERT_THAT(engine_->Remove(strong), IsOk());
  EXPECT_EQ(Call("f"), 1);
}

// --- Thread-local objects with destructors ---

constexpr char kThreadLocal[] = R"(
  declare i32 @__cxa_thread_atexit(ptr, ptr, ptr)
  declare void @firstcall_test_report(i32)
  @__dso_handle = external hidden global i8
  define internal void @destroy(ptr %object) {
    %address = ptrtoint ptr %object to i64
    %value = trunc i64 %address to i32
    call void @firstcall_test_report(i32 %value)
    ret void
  }
  define i32 @construct(i32 %value) {
    %address = zext i32 %value to i64
    %object = inttoptr i64 %address to ptr
    %r = call i32 @__cxa_thread_atexit(ptr @destroy, ptr %object, ptr @__dso_handle)
    ret i32 %r
  })";

TEST_P(RemovalTest, ThreadLocalObjectsAreDestroyedWithTheirThread) {
  Add(kThreadLocal);
  std::thread([&] {
    EXPECT_EQ(Call("construct", 1), 0);
    EXPECT_EQ(Call("construct", 2), 0);
  }).join();
  EXPECT_THAT(reported, ElementsAre(2, 1));
  engine_->RunDestructors();
  EXPECT_THAT(reported, ElementsAre(2, 1));
}

TEST_P(RemovalTest, ThreadLocalObjectsOfTheThreadThatRemovesAreDestroyedThen) {
  std::thread([&] {
    const ModuleId module = Add(kThreadLocal);
    Call("construct", 1);
    Call("construct", 2);
    EXPECT_THAT(engine_->Remove(module), IsOk());
    EXPECT_THAT(reported, ElementsAre(2, 1));
    Add(kThreadLocal);
    Call("construct", 3);
    engine_ = nullptr;
    EXPECT_THAT(reported, ElementsAre(2, 1, 3));
  }).join();
  EXPECT_THAT(reported, ElementsAre(2, 1, 3));
}

// Their destructors are gone.
TEST_P(RemovalTest, ThreadLocalObjectsOfOtherThreadsAreLeft) {
  const ModuleId module = Add(kThreadLocal);
  WhileAnotherThreadHasAnObject([&] {
    EXPECT_THAT(engine_->Remove(module), IsOk());
    engine_ = nullptr;
  });
  EXPECT_THAT(reported, ElementsAre());
}

TEST_P(RemovalTest, ThreadLocalObjectsOfDetachedCodeAreDestroyedWithIt) {
  std::thread([&] {
    const ModuleId module = Add(kThreadLocal);
    Call("construct", 1);
    absl::StatusOr<std::unique_ptr<DetachedCode>> code = engine_->Detach(module);
    ASSERT_THAT(code, IsOk());
    engine_ = nullptr;
    EXPECT_THAT(reported, ElementsAre());
    code->reset();
    EXPECT_THAT(reported, ElementsAre(1));
  }).join();
  EXPECT_THAT(reported, ElementsAre(1));
}

// --- What C++ modules share: inline functions and variables ---

constexpr char kUsesTwice[] = R"(
  define linkonce_odr i32 @twice(i32 %x) { %r = mul i32 %x, 2 ret i32 %r }
  define i32 @USER(i32 %x) { %y = call i32 @twice(i32 %x) %r = add i32 %y, 1 ret i32 %r })";

std::string UsesTwice(absl::string_view user) {
  return absl::StrReplaceAll(kUsesTwice, {{"USER", user}});
}

TEST_P(StaleStubTest, AnInlineFunctionOutlivesItsFirstModule) {
  const ModuleId first = Add(UsesTwice("a"), "first");
  const ModuleId second = Add(UsesTwice("b"), "second");
  Add(UsesTwice("c"), "third");
  EXPECT_EQ(Call("a", 3), 7);
  EXPECT_EQ(Call("b", 3), 7);
  EXPECT_EQ(Call("c", 3), 7);
  ASSERT_THAT(engine_->Remove(first), IsOk());
  EXPECT_EQ(Call("b", 4), 9);
  EXPECT_EQ(Call("c", 4), 9);
  ASSERT_THAT(engine_->Remove(second), IsOk());
  EXPECT_EQ(Call("c", 5), 11);
}

TEST_P(StaleStubTest, AnInlineFunctionThatWasNotCalledYetDoesToo) {
  const ModuleId first = Add(UsesTwice("a"), "first");
  Add(UsesTwice("b"), "second");
  ASSERT_THAT(engine_->Prepare({"b"}), IsOk());
  ASSERT_THAT(engine_->Remove(first), IsOk());
  EXPECT_EQ(Call("b", 3), 7);
}

constexpr char kCounts[] = R"(
  @n = linkonce_odr global i32 0
  define i32 @inc_USER(i32 %x) {
    %old = load i32, ptr @n
    %new = add i32 %old, %x
    store i32 %new, ptr @n
    ret i32 %new
  }
  define i32 @get_USER(i32 %x) { %r = load i32, ptr @n ret i32 %r })";

TEST_P(StaleStubTest, AnInlineVariableThatIsInUseOutlivesItsFirstModule) {
  const auto counts = [](absl::string_view user) {
    return absl::StrReplaceAll(kCounts, {{"USER", user}});
  };
  const ModuleId first = Add(counts("a"), "first");
  Add(counts("b"), "second");
  EXPECT_EQ(Call("inc_b", 2), 2);
  ASSERT_THAT(engine_->Remove(first), IsOk());
  // Takes the memory of the first, if that is free.
  for (int i = 0; i < 20; ++i) {
    Add(absl::StrCat("@v", i, " = global i32 100\n", "define i32 @g", i,
                     "(i32 %x) { %r = load i32, ptr @v", i, " ret i32 %r }"));
    EXPECT_EQ(Call(absl::StrCat("g", i)), 100);
  }
  EXPECT_EQ(Call("inc_b", 2), 4);
  EXPECT_EQ(Call("get_b"), 4);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(Call(absl::StrCat("g", i)), 100);
  }
}

// The data of `user` has @n or not, and @m in any case.
std::string CountsAndMore(absl::string_view user) {
  return absl::StrReplaceAll(absl::StrCat(kCounts, R"(
    @m_USER = global i32 7
    define i32 @more_USER(i32 %x) { %r = load i32, ptr @m_USER ret i32 %r })"),
                             {{"USER", user}});
}

TEST_P(StaleStubTest, LaterModulesUseTheInlineVariableThatIsInUse) {
  const ModuleId first = Add(CountsAndMore("a"), "first");
  Add(CountsAndMore("b"), "second");
  EXPECT_EQ(Call("inc_b", 2), 2);
  ASSERT_THAT(engine_->Remove(first), IsOk());
  const ModuleId third = Add(CountsAndMore("c"), "third");
  EXPECT_EQ(Call("inc_c", 5), 7);
  EXPECT_EQ(Call("get_b"), 7);
  EXPECT_EQ(*static_cast<int*>(engine_->LookupAddress("n").value()), 7);
  ASSERT_THAT(engine_->Remove(third), IsOk());
  EXPECT_EQ(Call("inc_b", 1), 8);
}

TEST_P(StaleStubTest, DataThatWasLinkedWithoutAnInlineVariableGetsIt) {
  const ModuleId first = Add(CountsAndMore("a"), "first");
  Add(CountsAndMore("b"), "second");
  Add(CountsAndMore("c"), "third");
  EXPECT_EQ(Call("more_b"), 7);
  EXPECT_EQ(Call("inc_c", 2), 2);
  ASSERT_THAT(engine_->Remove(first), IsOk());
  EXPECT_EQ(Call("inc_b", 3), 5);
  EXPECT_EQ(Call("get_c"), 5);
}

TEST_P(StaleStubTest, AnAliasIsASuccessor) {
  const ModuleId first = Add("define linkonce_odr i32 @f(i32 %x) { ret i32 1 }", "first");
  Add(R"(@f = weak_odr alias i32 (i32), ptr @g
         define internal i32 @g(i32 %x) { ret i32 1 }
         define i32 @b(i32 %x) { %r = call i32 @f(i32 %x) ret i32 %r })",
      "second");
  EXPECT_EQ(Call("b"), 1);
  ASSERT_THAT(engine_->Remove(first), IsOk());
  EXPECT_EQ(Call("b"), 1);
  EXPECT_EQ(last_failure, "");
}

TEST_P(StaleStubTest, ThreadLocalObjectsOfAModuleWhoseVariablesStayAreLeft) {
  const ModuleId first = Add(absl::StrCat(kThreadLocal, "@n = linkonce_odr global i32 0"));
  Add(CountsAndMore("b"), "second");
  EXPECT_EQ(Call("inc_b", 2), 2);
  WhileAnotherThreadHasAnObject([&] { EXPECT_THAT(engine_->Remove(first), IsOk()); });
  EXPECT_THAT(reported, ElementsAre());
  EXPECT_EQ(last_failure, "");
}

constexpr char kUsesWeak[] = R"(
  @wd = weak global i32 5
  define weak i32 @w(i32 %x) { ret i32 1 }
  define i32 @inc(i32 %x) { %d = load i32, ptr @wd %r = add i32 %d, 1 store i32 %r, ptr @wd ret i32 %r }
  define i32 @get(i32 %x) { %r = load i32, ptr @wd ret i32 %r }
  define i32 @first(i32 %x) { %r = call i32 @w(i32 %x) ret i32 %r }
  define i32 @second(i32 %x) { %r = call i32 @w(i32 %x) ret i32 %r })";
constexpr char kStrong[] = R"(
  @wd = global i32 100
  define i32 @w(i32 %x) { ret i32 2 })";

TEST_P(StaleStubTest, AWeakDefinitionInUseStaysWhatItIs) {
  Add(kUsesWeak, "weak");
  EXPECT_EQ(Call("inc"), 6);
  EXPECT_EQ(Call("first"), 1);
  Add(kStrong, "strong");
  EXPECT_EQ(Call("get"), 6);
  EXPECT_EQ(Call("second"), 1);
  EXPECT_EQ(Call("w"), 2);
}

TEST_P(StaleStubTest, AWeakDefinitionInUseIsDetachedWithItsModule) {
  const ModuleId module = Add(kUsesWeak, "weak");
  ASSERT_THAT(engine_->Prepare({"first"}), IsOk());
  Add(kStrong, "strong");
  absl::StatusOr<std::unique_ptr<DetachedCode>> code = engine_->Detach(module);
  ASSERT_THAT(code, IsOk());
  engine_ = nullptr;
  EXPECT_EQ((*(*code)->Lookup<int(int)>("first"))(0), 1);
  EXPECT_EQ((*(*code)->Lookup<int(int)>("second"))(0), 1);
}

// Unwind tables go and come with the code.
TEST_P(RemovalTest, ExceptionsPassThroughWhatIsLeft) {
  constexpr char kThrows[] =
      "declare void @firstcall_test_throw()"
      "define i32 @FUNCTION(i32 %x) uwtable { call void "
      "@firstcall_test_throw() ret i32 %x }";
  std::vector<ModuleId> modules;
  const auto add = [&](int i) {
    std::string text = kThrows;
    text.replace(text.find("FUNCTION"), 8, absl::StrCat("f", i));
    modules.push_back(Add(text));
    EXPECT_THROW(Call(absl::StrCat("f", i)), std::runtime_error);
  };
  for (int i = 0; i < 8; ++i) add(i);
  for (int i = 0; i < 8; i += 2) ASSERT_THAT(engine_->Remove(modules[i]), IsOk());
  for (int i = 1; i < 8; i += 2) {
    EXPECT_THROW(Call(absl::StrCat("f", i)), std::runtime_error);
  }
  for (int i = 8; i < 12; ++i) add(i);
}

TEST_P(RemovalTest, DetachedCodeOutlivesTheEngine) {
  const ModuleId id = Add(kCounter, "counter");
  EXPECT_EQ(Call("next", 2), 2);
  absl::StatusOr<std::unique_ptr<DetachedCode>> code = engine_->Detach(id);
  ASSERT_THAT(code, IsOk());
  EXPECT_THAT(engine_->LookupAddress("next"), StatusIs(absl::StatusCode::kNotFound));
  engine_ = nullptr;
  EXPECT_EQ((*code)->name(), "counter");
  EXPECT_GT((*code)->code_bytes(), 0u);
  EXPECT_EQ((*(*code)->Lookup<int(int)>("next"))(3), 5);
  EXPECT_EQ((*(*code)->Lookup<int(int)>("first"))(0), 'a');
  EXPECT_EQ(*static_cast<int*>(*(*code)->LookupAddress("shared")), 5);
  EXPECT_THAT((*code)->LookupAddress("count"), StatusIs(absl::StatusCode::kNotFound));
}

TEST_P(RemovalTest, DetachedCodeKeepsItsIdentity) {
  const ModuleId id = Add(R"(
    define i32 @f(i32 %x) { %r = add i32 %x, 1  ret i32 %r }
    @table = global [1 x ptr] [ptr @f]
    define i32 @through(i32 %x) { %f = load ptr, ptr @table %r = call i32 %f(i32 %x) ret i32 %r }
    define ptr @address() { ret ptr @f }
  )");
  void* const before = *engine_->LookupAddress("f");
  std::unique_ptr<DetachedCode> code = engine_->Detach(id).value();
  engine_ = nullptr;
  EXPECT_EQ(*code->LookupAddress("f"), before);
  EXPECT_EQ((*code->Lookup<void*()>("address"))(), before);
  EXPECT_EQ((*code->Lookup<int(int)>("through"))(1), 2);
}

TEST_P(RemovalTest, DetachedCodeEndsItself) {
  const ModuleId id = Add(kWithLifecycle);
  EXPECT_THAT(engine_->Detach(id),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("constructors")));
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  std::unique_ptr<DetachedCode> code = engine_->Detach(id).value();
  engine_ = nullptr;
  EXPECT_THAT(reported, ElementsAre(1));
  code = nullptr;
  EXPECT_THAT(reported, ElementsAre(1, 2, 3));
}

TEST_P(RemovalTest, DetachedCodeThrowsWithoutItsEngine) {
  const ModuleId id =
      Add("declare void @firstcall_test_throw()"
          "define void @f() uwtable { call void @firstcall_test_throw() ret void }");
  std::unique_ptr<DetachedCode> code = engine_->Detach(id).value();
  engine_ = nullptr;
  EXPECT_THROW((*code->Lookup<void()>("f"))(), std::runtime_error);
}

TEST_P(RemovalTest, DetachedModulesMayUseEachOther) {
  const ModuleId callee = Add(kCounter, "counter");
  const ModuleId caller = Add(
      "declare i32 @next(i32) @shared = external global i32 "
      "define i32 @user(i32 %x) { %n = call i32 @next(i32 %x) %s = load i32, ptr @shared %r = add "
      "i32 %n, %s ret i32 %r }");
  // The other way round there would be nothing left for the caller to find.
  std::unique_ptr<DetachedCode> user = engine_->Detach(caller).value();
  std::unique_ptr<DetachedCode> counter = engine_->Detach(callee).value();
  engine_ = nullptr;
  EXPECT_EQ((*user->Lookup<int(int)>("user"))(10), 15);
}

TEST_P(StaleStubTest, WhatItsEngineTookAlongFailsClearly) {
  Add(kCounter, "counter");
  const ModuleId id = Add(
      "declare i32 @next(i32) define i32 @user(i32 %x) { %n = call i32 @next(i32 %x) ret i32 %n }");
  std::unique_ptr<DetachedCode> code = engine_->Detach(id).value();
  EXPECT_EQ((*code->Lookup<int(int)>("user"))(10), 10);
  engine_ = nullptr;
  EXPECT_EQ((*code->Lookup<int(int)>("user"))(10), -1);
  EXPECT_EQ(last_failure,
            "FAILED_PRECONDITION: function 'next' of 'counter' is called, but its engine is gone");
}

TEST_P(StaleStubTest, DetachingThatFailsChangesNothing) {
  const ModuleId id = Add(
      "declare i32 @nowhere(i32) define i32 @bad(i32 %x) { %n = call i32 @nowhere(i32 %x) ret i32 "
      "%n } define i32 @good(i32 %x) { ret i32 %x }");
  EXPECT_THAT(engine_->Detach(id), StatusIs(absl::StatusCode::kNotFound, HasSubstr("nowhere")));
  EXPECT_EQ(Call("good", 3), 3);
}

// Engine, its code, and code of another engine, destroyed in every order.
TEST_P(RemovalTest, AnyOrderOfDestruction) {
  std::vector<int> order = {0, 1, 2, 3};
  do {
    std::unique_ptr<Engine> engines[] = {Make(), Make()};
    std::unique_ptr<DetachedCode> codes[2];
    for (int i = 0; i < 2; ++i) {
      engine_ = std::move(engines[i]);
      const ModuleId id = Add(kCounter);
      EXPECT_EQ(Call("next", i + 1), i + 1);
      codes[i] = engine_->Detach(id).value();
      Add(kCounter);
      EXPECT_EQ(Call("next", 7), 7);
      engines[i] = std::move(engine_);
    }
    for (int which : order) {
      if (which < 2) {
        engines[which] = nullptr;
      } else {
        EXPECT_EQ((*codes[which - 2]->Lookup<int(int)>("next"))(10), 10 + which - 1);
        codes[which - 2] = nullptr;
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_P(RemovalTest, RemovingFromWithinACompileIsRefused) {
  ModuleId id;
  absl::Status status;
  EngineOptions options;
  Engine* engine = nullptr;
  options.symbol_finder = [&](absl::string_view name) -> void* {
    if (name != "wanted") return nullptr;
    status = engine->Remove(id);
    return reinterpret_cast<void*>(&Replacement);
  };
  engine_ = Engine::Create(std::move(options)).value();
  engine = engine_.get();
  id = Add(kCounter);
  Add("declare i32 @wanted(i32) define i32 @f(i32 %x) { %r = call i32 @wanted(i32 %x) ret i32 %r "
      "}");
  EXPECT_EQ(Call("f"), -1);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(Call("next", 2), 2);
}

// Threads add, call and remove modules of their own in one engine, with compile threads behind.
TEST_P(RemovalTest, ThreadsAddAndRemoveAtOnce) {
  for (const size_t compile_threads : {0, 2}) {
    EngineOptions options;
    options.mode = GetParam().mode;
    options.compile_threads = compile_threads;
    options.speculation_budget = absl::Seconds(1);
    engine_ = Engine::Create(std::move(options)).value();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 30; ++i) {
          const std::string text = absl::StrCat(
              "define internal i32 @g(i32 %x) { %r = mul i32 %x, 3 ret i32 %r }"
              "define i32 @f",
              t, "(i32 %x) { %c = icmp eq i32 %x, ", i,
              " br i1 %c, label %a, label %b\n"
              "a: %r = call i32 @g(i32 %x) ret i32 %r\n"
              "b: ret i32 %x }");
          const ModuleId id = Add(text);
          ASSERT_EQ(Call(absl::StrCat("f", t), i), 3 * i);
          ASSERT_EQ(Call(absl::StrCat("f", t), i + 1), i + 1);
          ASSERT_THAT(engine_->Remove(id), IsOk());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(engine_->stats().modules_removed, 120u);
  }
}

}  // namespace
}  // namespace firstcall

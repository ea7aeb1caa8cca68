#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/memory_manager.h"
#include "seam/event.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Recorder final : public EventListener {
 public:
  bool wants_code() const override { return true; }
  void OnEvent(const Event& event) override {
    // Each event on its thread.
    EXPECT_EQ(event.thread, gettid());
    absl::MutexLock lock(&mutex_);
    events_.push_back(event);
  }

  std::vector<Event> events() const {
    absl::MutexLock lock(&mutex_);
    return events_;
  }

  // Those of `kind`.
  std::vector<Event> events(EventKind kind) const {
    std::vector<Event> result;
    for (const Event& event : events()) {
      if (event.kind == kind) result.push_back(event);
    }
    return result;
  }

 private:
  mutable absl::Mutex mutex_;
  std::vector<Event> events_ ABSL_GUARDED_BY(mutex_);
};

class EventsTest : public testing::Test {
 protected:
  EngineOptions Options() {
    EngineOptions options;
    options.tier = Tier::kZero;
    options.event_listeners.push_back(recorder_);
    return options;
  }

  const std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
};

TEST_F(EventsTest, ANullListenerIsRefused) {
  EngineOptions options = Options();
  options.event_listeners.push_back(nullptr);
  EXPECT_THAT(Engine::Create(std::move(options)),
              StatusIs(absl::StatusCode::kInvalidArgument, "an event listener is null"));
}

TEST_F(EventsTest, FirstCallIsCompiledPublishedAndThenReported) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Engine> engine, Engine::Create(Options()));
  ASSERT_OK_AND_ASSIGN(
      const ModuleId id,
      engine->AddAssembly("define i32 @f() { ret i32 7 } define void @unused() { ret void }", "m"));
  ASSERT_OK_AND_ASSIGN(int (*f)(), engine->Lookup<int()>("f"));
  EXPECT_EQ(f(), 7);
  EXPECT_EQ(f(), 7);
  EXPECT_THAT(engine->Remove(id), IsOk());

  const std::vector<Event> added = recorder_->events(EventKind::kModuleAdded);
  ASSERT_EQ(added.size(), 1u);
  EXPECT_EQ(added[0].module, "m");
  EXPECT_EQ(added[0].functions, 2u);
  const std::vector<Event> compiled = recorder_->events(EventKind::kCompiled);
  ASSERT_EQ(compiled.size(), 1u);
  EXPECT_EQ(compiled[0].function, "f");
  EXPECT_EQ(compiled[0].tier, 0);
  EXPECT_EQ(compiled[0].duration, compiled[0].split + compiled[0].emit + compiled[0].link);
  const std::vector<Event> published = recorder_->events(EventKind::kPublished);
  ASSERT_EQ(published.size(), 1u);
  EXPECT_EQ(published[0].function, "f");
  EXPECT_EQ(published[0].reason, CompileReason::kCalled);
  EXPECT_GT(published[0].size, 0u);
  ASSERT_NE(published[0].code, nullptr);
  EXPECT_EQ(published[0].code->size(), published[0].size);
  const std::vector<Event> called = recorder_->events(EventKind::kFirstCall);
  ASSERT_EQ(called.size(), 1u);
  EXPECT_EQ(called[0].function, "f");
  EXPECT_EQ(called[0].address, published[0].address);
  EXPECT_GT(called[0].duration, absl::ZeroDuration());
  // It returns into this function.
  const auto here = reinterpret_cast<uint64_t>(__builtin_return_address(0));
  EXPECT_NE(called[0].caller, 0u);
  EXPECT_LT(std::max(here, called[0].caller) - std::min(here, called[0].caller), 1u << 30);
  const std::vector<Event> removed = recorder_->events(EventKind::kRemoved);
  ASSERT_EQ(removed.size(), 1u);
  EXPECT_FALSE(removed[0].is_detached);
  EXPECT_LT(added[0].number, compiled[0].number);
  EXPECT_LT(compiled[0].number, published[0].number);
  EXPECT_LT(published[0].number, called[0].number);
  EXPECT_LT(called[0].number, removed[0].number);
}

TEST_F(EventsTest, FunctionsThatComeAlongSaySo) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Engine> engine, Engine::Create(Options()));
  // Of a module given as text none comes along.
  ASSERT_THAT(
      engine->AddBitcode(ParseToBitcode("define i32 @g() { ret i32 7 } "
                                        "define i32 @f() { %r = call i32 @g() ret i32 %r }"),
                         "m"),
      IsOk());
  ASSERT_OK_AND_ASSIGN(int (*f)(), engine->Lookup<int()>("f"));
  EXPECT_EQ(f(), 7);
  std::map<std::string, CompileReason> reasons;
  for (const Event& event : recorder_->events(EventKind::kPublished)) {
    reasons[event.function] = event.reason;
  }
  EXPECT_EQ(reasons["f"], CompileReason::kCalled);
  EXPECT_EQ(reasons["g"], CompileReason::kAlong);
}

TEST_F(EventsTest, OptimizedBodiesSayWhatWasInlined) {
  EngineOptions options = Options();
  options.tier = Tier::kAuto;
  options.promotion.threshold = 10;
  options.promotion.threads = 0;  // The body is made before the call returns.
  options.promotion.counts_branches = false;
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Engine> engine, Engine::Create(options));
  ASSERT_THAT(engine->AddAssembly("define i32 @g(i32 %x) { %y = add i32 %x, 7 ret i32 %y } "
                                  "define i32 @f(i32 %x) { %y = call i32 @g(i32 %x) ret i32 %y }",
                                  "m"),
              IsOk());
  ASSERT_OK_AND_ASSIGN(int (*f)(int), engine->Lookup<int(int)>("f"));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(f(i), i + 7);
  std::vector<Event> optimized;
  for (const Event& event : recorder_->events(EventKind::kCompiled)) {
    if (event.tier == 1 && event.function == "f") optimized.push_back(event);
  }
  ASSERT_EQ(optimized.size(), 1u);
  EXPECT_EQ(optimized[0].reason, CompileReason::kPromoted);
  EXPECT_EQ(optimized[0].imported, 1u);
  EXPECT_THAT(optimized[0].inlined, ElementsAre("g"));
  EXPECT_GT(optimized[0].optimize, absl::ZeroDuration());
}

TEST_F(EventsTest, FailureIsReportedOnceWithItsReason) {
  EngineOptions options = Options();
  options.failure_handler = [](const FailedCall&) -> void* {
    static int (*const minus)() = [] { return -1; };
    return reinterpret_cast<void*>(minus);
  };
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Engine> engine, Engine::Create(options));
  ASSERT_THAT(engine->AddAssembly("declare i32 @missing_function() define i32 @f() { %r = call i32 "
                                  "@missing_function() ret i32 %r }",
                                  "m"),
              IsOk());
  ASSERT_OK_AND_ASSIGN(int (*f)(), engine->Lookup<int()>("f"));
  EXPECT_EQ(f(), -1);
  EXPECT_EQ(f(), -1);
  const std::vector<Event> failed = recorder_->events(EventKind::kFailed);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].function, "f");
  EXPECT_THAT(std::string(failed[0].status.message()), HasSubstr("missing_function"));
}

TEST_F(EventsTest, MemoryThatIsReservedIsFreedWithTheModule) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Engine> engine, Engine::Create(Options()));
  ASSERT_OK_AND_ASSIGN(const ModuleId id,
                       engine->AddAssembly("define i32 @f() { ret i32 7 }", "m"));
  ASSERT_OK_AND_ASSIGN(int (*f)(), engine->Lookup<int()>("f"));
  EXPECT_EQ(f(), 7);
  ASSERT_THAT(engine->Remove(id), IsOk());
  int64_t used = 0;
  for (const Event& event : recorder_->events()) {
    if (event.kind == EventKind::kMemoryReserved) used += static_cast<int64_t>(event.size);
    if (event.kind == EventKind::kMemoryFreed) used -= static_cast<int64_t>(event.size);
  }
  EXPECT_EQ(used, static_cast<int64_t>(engine->stats().memory.used.total()));
  EXPECT_FALSE(recorder_->events(EventKind::kMemoryFreed).empty());
}

// The sum of all blocks that were reserved and not freed, after each event that tells of one.
// Checks that the events agree.
size_t MemoryAfter(std::vector<Event> events) {
  std::sort(events.begin(), events.end(),
            [](const Event& a, const Event& b) { return a.number < b.number; });
  size_t used = 0;
  for (const Event& event : events) {
    if (event.kind == EventKind::kMemoryReserved) used += event.size;
    if (event.kind == EventKind::kMemoryFreed) {
      EXPECT_LE(event.size, used);
      used -= event.size;
    }
    if (event.kind == EventKind::kMemoryReserved || event.kind == EventKind::kMemoryFreed) {
      EXPECT_EQ(event.memory_used, used) << event.number;
    }
  }
  return used;
}

TEST_F(EventsTest, MemoryIsToldFromTheCreationOfTheEngineToItsEnd) {
  for (const Tier tier : {Tier::kZero, Tier::kAuto}) {
    const auto recorder = std::make_shared<Recorder>();
    EngineOptions options;
    options.tier = tier;
    options.event_listeners.push_back(recorder);
    {
      ASSERT_OK_AND_ASSIGN(std::unique_ptr<Engine> engine, Engine::Create(options));
      EXPECT_EQ(MemoryAfter(recorder->events()), engine->stats().memory.used.total());
      ASSERT_THAT(engine->AddAssembly("@v = global i32 7 define ptr @f() { ret ptr @v }", "m"),
                  IsOk());
      ASSERT_OK_AND_ASSIGN(int* (*f)(), engine->Lookup<int*()>("f"));
      EXPECT_EQ(*f(), 7);
      EXPECT_EQ(MemoryAfter(recorder->events()), engine->stats().memory.used.total());
      EXPECT_GT(MemoryAfter(recorder->events()), 0u);
    }
    EXPECT_FALSE(recorder->events(EventKind::kMemoryFreed).empty());
    MemoryAfter(recorder->events());
  }
}

// A client's memory manager that forwards to the engine's reserves while the engine is created.
TEST_F(EventsTest, MemoryThatIsReservedWhileTheEngineIsCreatedIsTold) {
  EngineOptions options = Options();
  MemoryBlock block;
  options.memory_manager = [&](std::shared_ptr<MemoryManager> own) {
    MemoryRequest request;
    request.segment = Segment::kData;
    request.size = 4000;
    block = own->Allocate(request).value();
    return own;
  };
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Engine> engine, Engine::Create(options));
  ASSERT_FALSE(recorder_->events().empty());
  EXPECT_EQ(recorder_->events()[0].kind, EventKind::kMemoryReserved);
  EXPECT_EQ(recorder_->events()[0].number, 1u);
  EXPECT_EQ(recorder_->events()[0].size, 4000u);
  EXPECT_EQ(MemoryAfter(recorder_->events()), engine->stats().memory.used.total());
}

// The listener waits for another thread, which needs what has just been compiled, and calls the
// engine itself.
TEST_F(EventsTest, ListenerMayWaitCallTheEngineAndCallCompiledCode) {
  class Waiter final : public EventListener {
   public:
    void OnEvent(const Event& event) override {
      if (event.kind != EventKind::kPublished || event.function != "f") return;
      std::thread other(
          [&] { result_ = (*engine_->Lookup<int()>("f"))() + (*engine_->Lookup<int()>("g"))(); });
      other.join();
      const ModuleId id =
          engine_->AddAssembly("define i32 @h() { ret i32 100 }", "another").value();
      result_ += (*engine_->Lookup<int()>("h"))();
      EXPECT_THAT(engine_->Remove(id), IsOk());
      (void)engine_->stats();
    }
    Engine* engine_ = nullptr;
    std::atomic<int> result_{0};
  };
  for (const size_t compile_threads : {0, 2}) {
    auto waiter = std::make_shared<Waiter>();
    EngineOptions options = Options();
    options.compile_threads = compile_threads;
    options.event_listeners.push_back(waiter);
    ASSERT_OK_AND_ASSIGN(std::unique_ptr<Engine> engine, Engine::Create(options));
    waiter->engine_ = engine.get();
    ASSERT_THAT(
        engine->AddAssembly("define i32 @f() { ret i32 7 } define i32 @g() { ret i32 3 }", "m"),
        IsOk());
    ASSERT_OK_AND_ASSIGN(int (*f)(), engine->Lookup<int()>("f"));
    EXPECT_EQ(f(), 7);
    // With compile threads, the listener runs on one of these.
    while (waiter->result_ != 110) std::this_thread::yield();
  }
}

// With compile threads, the listener runs on the one that such functions are compiled by.
TEST_F(EventsTest, ListenerMayPrepareWhileFunctionsArePrepared) {
  class Preparer final : public EventListener {
   public:
    void OnEvent(const Event& event) override {
      if (event.kind == EventKind::kPublished && event.function == "f") {
        status_ = engine_->Prepare({"g", "h"});
      }
    }
    Engine* engine_ = nullptr;
    absl::Status status_ = absl::UnknownError("not prepared");
  };
  for (const size_t compile_threads : {0, 1, 2}) {
    auto preparer = std::make_shared<Preparer>();
    EngineOptions options = Options();
    options.compile_threads = compile_threads;
    options.event_listeners.push_back(preparer);
    ASSERT_OK_AND_ASSIGN(std::unique_ptr<Engine> engine, Engine::Create(options));
    preparer->engine_ = engine.get();
    ASSERT_THAT(engine->AddAssembly("define i32 @f() { ret i32 7 } define i32 @g() { ret i32 3 } "
                                    "define i32 @h() { ret i32 4 }",
                                    "m"),
                IsOk());
    ASSERT_THAT(engine->Prepare({"f"}), IsOk());
    engine->Lookup<int()>("f").value()();
    engine = nullptr;  // The events that were not delivered yet.
    EXPECT_THAT(preparer->status_, IsOk());
  }
}

// 16 threads call, add and remove: every event comes once, and those of a thread in order.
TEST_F(EventsTest, NothingIsLostOrOutOfOrderUnderStress) {
  constexpr int kThreads = 16, kRounds = 8;
  std::string text;
  for (int i = 0; i < kThreads * kRounds; ++i) {
    absl::StrAppend(&text, "define i32 @f", i, "() { ret i32 ", i, " }\n");
  }
  EngineOptions options = Options();
  options.compile_threads = 2;
  {
    ASSERT_OK_AND_ASSIGN(std::unique_ptr<Engine> engine, Engine::Create(options));
    ASSERT_THAT(engine->AddAssembly(text, "shared"), IsOk());
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int round = 0; round < kRounds; ++round) {
          // Every function is called by two threads.
          for (const int i :
               {t * kRounds + round, (t * kRounds + round + 5) % (kThreads * kRounds)}) {
            EXPECT_EQ((*engine->Lookup<int()>(absl::StrCat("f", i)))(), i);
          }
          const std::string own = absl::StrCat("own", t, "_", round);
          const ModuleId id =
              engine->AddAssembly(absl::StrCat("define i32 @", own, "() { ret i32 1 }"), own)
                  .value();
          EXPECT_EQ((*engine->Lookup<int()>(own))(), 1);
          EXPECT_THAT(engine->Remove(id), IsOk());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const std::vector<Event> events = recorder_->events();
  std::set<uint64_t> numbers;
  std::map<int64_t, uint64_t> last;
  std::map<std::string, int> published;
  std::map<std::string, int> removed;
  for (const Event& event : events) {
    numbers.insert(event.number);
    EXPECT_GT(event.number, std::exchange(last[event.thread], event.number));
    if (event.kind == EventKind::kPublished) ++published[event.function];
    if (event.kind == EventKind::kRemoved) ++removed[event.module];
  }
  EXPECT_EQ(numbers.size(), events.size());
  EXPECT_EQ(*numbers.rbegin(), events.size());
  EXPECT_EQ(published.size(), static_cast<size_t>(2 * kThreads * kRounds));
  for (const auto& [function, count] : published) EXPECT_EQ(count, 1) << function;
  EXPECT_EQ(removed.size(), static_cast<size_t>(kThreads * kRounds));
  MemoryAfter(events);
}

}  // namespace
}  // namespace firstcall

// Optimized bodies and continuations in an object cache: what one engine has made, the next begins
// with.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/link/cached_object.h"
#include "tests/api/memory_cache.h"
#include "tests/api/promotion.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr char kBody[] = "optimized body";
constexpr char kContinuation[] = "continuation";
constexpr uint32_t kNever = 2000000000;

BetterBodies* watched = nullptr;
absl::Time deadline;

extern "C" {
// Whether it is called from a better body or a continuation; or from nowhere else for too long.
int firstcall_test_is_better() {
  return watched->Contains(__builtin_return_address(0)) || absl::Now() > deadline ? 1 : 0;
}
void firstcall_test_throw_number(int64_t number) { throw number; }
}

class OptimizedCacheTest : public ::testing::TestWithParam<PromotionWay> {
 protected:
  // The next run: an engine of its own, with what the cache has so far.
  void Begin(const std::vector<std::string>& modules, uint32_t threshold) {
    engine_ = nullptr;
    bodies_ = std::make_shared<BetterBodies>();
    EngineOptions options = options_;
    SetWay(GetParam(), options.promotion);
    options.promotion.threshold = threshold;
    options.object_cache = cache_;
    options.listeners.push_back(bodies_);
    engine_ = Engine::Create(std::move(options)).value();
    watched = bodies_.get();
    deadline = absl::Now() + absl::Seconds(60);
    for (const std::string& module : modules) {
      last_ =
          engine_->AddBitcode(ParseToBitcode(module), absl::StrCat("module", last_.value)).value();
    }
  }

  template <typename Signature>
  Signature* Get(absl::string_view name) {
    return engine_->Lookup<Signature>(name).value();
  }

  int64_t Call(absl::string_view name, int64_t argument) {
    return Get<int64_t(int64_t)>(name)(argument);
  }

  // A run that makes the optimized body of `name`, which returns `result` for `argument`.
  void MakeHot(const std::vector<std::string>& modules, absl::string_view name, int64_t argument,
               int64_t result) {
    Begin(modules, 10);
    auto* function = Get<int64_t(int64_t)>(name);
    EXPECT_TRUE(DoUntil([&] { return HotnessOf(*engine_, name).tier == 1; },
                        [&] { EXPECT_EQ(function(argument), result); }));
    engine_ = nullptr;
  }

  FunctionHotness Hotness(absl::string_view function) { return HotnessOf(*engine_, function); }
  Stats stats() const { return engine_->stats(); }

  EngineOptions options_;
  std::shared_ptr<MemoryCache> cache_ = std::make_shared<MemoryCache>();
  std::shared_ptr<BetterBodies> bodies_;
  std::unique_ptr<Engine> engine_;
  ModuleId last_;
};

INSTANTIATE_TEST_SUITE_P(Ways, OptimizedCacheTest, ::testing::ValuesIn(kPromotionWays), NameOfWay);

constexpr char kPlus[] = "define i64 @plus(i64 %x) { %y = add i64 %x, 5 ret i64 %y }";

TEST_P(OptimizedCacheTest, SecondRunBeginsWithTheOptimizedBody) {
  MakeHot({kPlus}, "plus", 1, 6);
  const int stores = cache_->stores();
  Begin({kPlus}, kNever);
  EXPECT_EQ(Call("plus", 7), 12);
  EXPECT_EQ(Hotness("plus").tier, 1);
  EXPECT_TRUE(Hotness("plus").is_cached);
  EXPECT_EQ(Hotness("plus").first_bytes, 0u);
  EXPECT_EQ(stats().promotions_cached, 1u);
  EXPECT_EQ(stats().promotions_made, 0u);
  EXPECT_EQ(stats().functions_compiled, 0u);
  EXPECT_EQ(stats().functions_cached, 1u);
  EXPECT_EQ(stats().objects_linked, 1u);
  EXPECT_THAT(stats().ToString(), HasSubstr("promotions cached            1\n"));
  engine_ = nullptr;
  EXPECT_EQ(cache_->stores(), stores) << "a run that uses what is there stores nothing";
}

TEST_P(OptimizedCacheTest, OtherTiersDoNotUseIt) {
  MakeHot({kPlus}, "plus", 1, 6);
  for (Tier tier : {Tier::kZero, Tier::kOne}) {
    options_.tier = tier;
    Begin({kPlus}, kNever);
    EXPECT_EQ(Call("plus", 7), 12);
    EXPECT_EQ(stats().promotions_cached, 0u);
  }
}

TEST_P(OptimizedCacheTest, ObjectsSayWhatTheyAre) {
  MakeHot({kPlus}, "plus", 1, 6);
  ASSERT_THAT(cache_->Objects(kBody), SizeIs(1));
  EXPECT_THAT(cache_->Objects(kBody)[0], HasSubstr("firstcall optimized body "));
}

// The function is compiled along with its caller, and in the second run the caller's object has it,
// too.
TEST_P(OptimizedCacheTest, FunctionThatWasCompiledAlongBeginsOptimizedToo) {
  const std::string module = R"(
    define i64 @small(i64 %x) { %y = mul i64 %x, 3 ret i64 %y }
    define i64 @caller(i64 %x) {
      %y = call i64 @small(i64 %x)
      %z = add i64 %y, 1
      ret i64 %z
    })";
  Begin({module}, 10);
  EXPECT_EQ(Call("caller", 2), 7);
  auto* small = Get<int64_t(int64_t)>("small");
  EXPECT_TRUE(DoUntil([&] { return Hotness("small").tier == 1; }, [&] { (void)small(1); }));
  Begin({module}, kNever);
  EXPECT_EQ(Call("caller", 2), 7);
  EXPECT_TRUE(Hotness("small").is_cached) << "the caller calls that, not the one in its own object";
  EXPECT_EQ(Call("small", 2), 6);
  EXPECT_EQ(stats().functions_compiled, 0u);
}

TEST_P(OptimizedCacheTest, EntriesThatAreNoneAreMisses) {
  MakeHot({"define i64 @minus(i64 %x) { %y = sub i64 %x, 5 ret i64 %y }"}, "minus", 6, 1);
  CachedObject minus = DecodeCachedObject(cache_->Objects(kBody)[0], /*symbol_count=*/1).value();
  cache_ = std::make_shared<MemoryCache>();
  MakeHot({kPlus}, "plus", 1, 6);
  CachedObject plus;
  plus.functions = {SymbolOrdinal{0}};
  plus.joined = 1;
  const std::string good = cache_->Objects(kBody)[0];
  for (const std::string& bytes :
       {std::string(), std::string("nonsense"), std::string(100, '\0'), good.substr(1),
        good.substr(0, good.size() / 2),
        // A good entry of an object that is none, and of one that does not define the function.
        EncodeCachedObject(plus, "nonsense"), EncodeCachedObject(plus, minus.object)}) {
    cache_->ReplaceAll(kBody, bytes);
    Begin({kPlus}, kNever);
    EXPECT_EQ(Call("plus", 7), 12);
    EXPECT_EQ(stats().functions_compiled, 0u) << "the first body is in the cache";
    EXPECT_EQ(Hotness("plus").tier, 0);
  }
  // What is made then takes its place.
  MakeHot({kPlus}, "plus", 1, 6);
  Begin({kPlus}, kNever);
  EXPECT_EQ(Call("plus", 7), 12);
  EXPECT_EQ(Hotness("plus").tier, 1);
}

int64_t OnlyInTheFirstRun(int64_t x) { return x + 1; }

TEST_P(OptimizedCacheTest, BodyThatNeedsWhatIsNotThereAnyMoreIsNotUsed) {
  const std::string module = R"(
    declare i64 @only_in_the_first_run(i64)
    define i64 @seldom(i64 %x) { %r = call i64 @only_in_the_first_run(i64 %x) ret i64 %r }
    define i64 @f(i64 %x) {
      %odd = trunc i64 %x to i1
      br i1 %odd, label %call, label %end
    call:
      %r = call i64 @seldom(i64 %x)
      ret i64 %r
    end:
      ret i64 %x
    })";
  options_.symbol_finder = [](absl::string_view name) -> void* {
    return name == "only_in_the_first_run" ? reinterpret_cast<void*>(&OnlyInTheFirstRun) : nullptr;
  };
  MakeHot({module}, "f", 7, 8);
  options_.symbol_finder = nullptr;
  Begin({module}, kNever);
  EXPECT_EQ(Call("f", 8), 8);
  EXPECT_EQ(Hotness("f").tier, 0);
}

// `w` is inlined in the first run. In the second one, another module's definition counts.
TEST_P(OptimizedCacheTest, BodyIsNotUsedWhereAnotherDefinitionCounts) {
  const std::string module = R"(
    define weak_odr i64 @w(i64 %x) { ret i64 1 }
    define i64 @f(i64 %x) {
      %r = call i64 @w(i64 %x)
      %s = add i64 %r, %x
      ret i64 %s
    })";
  const std::string strong = "define i64 @w(i64 %x) { ret i64 2 }";
  MakeHot({module}, "f", 10, 11);
  Begin({strong, module}, kNever);
  EXPECT_EQ(Call("f", 10), 12);
  EXPECT_FALSE(Hotness("f").is_cached);
  MakeHot({strong, module}, "f", 10, 12);
  Begin({strong, module}, kNever);
  EXPECT_EQ(Call("f", 10), 12);
  EXPECT_TRUE(Hotness("f").is_cached);
  Begin({module}, kNever);
  EXPECT_EQ(Call("f", 10), 11);
  EXPECT_FALSE(Hotness("f").is_cached);
}

// One function is optimized, the other is not; both use the same variable and the same text.
TEST_P(OptimizedCacheTest, DataIsSharedWithFirstBodies) {
  const std::string module = R"(
    @calls = internal global i64 100
    @text = private unnamed_addr constant [4 x i8] c"abc\00"
    @kept = internal global ptr null
    define i64 @hot(i64 %x) {
      %c = load i64, ptr @calls
      %d = add i64 %c, %x
      store i64 %d, ptr @calls
      store ptr @text, ptr @kept
      ret i64 %d
    }
    define i64 @cold(i64 %x) {
      %c = load i64, ptr @calls
      %kept = load ptr, ptr @kept
      %same = icmp eq ptr %kept, @text
      %s = zext i1 %same to i64
      %r = add i64 %c, %s
      ret i64 %r
    })";
  MakeHot({module}, "hot", 0, 100);
  Begin({module}, kNever);
  EXPECT_EQ(Call("hot", 5), 105);
  EXPECT_EQ(Hotness("hot").tier, 1);
  EXPECT_EQ(Call("cold", 0), 106);
  EXPECT_EQ(Call("hot", 5), 110);
}

constexpr char kSpin[] = R"(
  declare i32 @firstcall_test_is_better()
  define i64 @spin(i64 %x) {
  entry:
    %y = mul i64 %x, 3
    br label %loop
  loop:
    %better = call i32 @firstcall_test_is_better()
    %on = icmp eq i32 %better, 0
    br i1 %on, label %loop, label %end
  end:
    ret i64 %y
  })";

// In the first run the function is called once, and leaves its loop for a continuation. If there is
// a thread that can, it makes the optimized body afterwards.
TEST_P(OptimizedCacheTest, LoopThatWasLeftIsEnteredOptimized) {
  Begin({kSpin}, 10);
  EXPECT_EQ(Call("spin", 14), 42);
  EXPECT_EQ(Hotness("spin").continuations, 1u);
  EXPECT_THAT(cache_->Objects(kContinuation), SizeIs(1));
  const bool has_thread = GetParam() != PromotionWay::kCallerDoesIt;
  if (has_thread) {
    EXPECT_TRUE(DoUntil([&] { return !cache_->Objects(kBody).empty(); },
                        [] { absl::SleepFor(absl::Milliseconds(5)); }));
  }
  Begin({kSpin}, 10);
  EXPECT_EQ(Call("spin", 14), 42);
  EXPECT_LT(absl::Now(), deadline);
  EXPECT_EQ(stats().promotions_cached, 1u);
  EXPECT_EQ(stats().promotions_made, 0u);
  EXPECT_EQ(stats().functions_compiled, 0u);
  EXPECT_EQ(Hotness("spin").loops_entered, has_thread ? 0u : 1u);
}

TEST_P(OptimizedCacheTest, ContinuationsThatAreNoneAreMadeAnew) {
  if (GetParam() != PromotionWay::kCallerDoesIt) GTEST_SKIP() << "there the body may be made, too";
  Begin({kSpin}, 10);
  EXPECT_EQ(Call("spin", 14), 42);
  for (const std::string& bytes : {std::string("nonsense"), std::string()}) {
    cache_->ReplaceAll(kContinuation, bytes);
    Begin({kSpin}, 10);
    EXPECT_EQ(Call("spin", 14), 42);
    EXPECT_LT(absl::Now(), deadline);
    EXPECT_EQ(stats().promotions_made, 1u);
  }
}

// A function and its table of labels can only be compiled together.
constexpr char kLabels[] = R"(
  @labels = internal constant [2 x ptr] [ptr blockaddress(@f, %add), ptr blockaddress(@f, %twice)]
  define i64 @f(i64 %x) {
    %odd = and i64 %x, 1
    %label.p = getelementptr [2 x ptr], ptr @labels, i64 0, i64 %odd
    %label = load ptr, ptr %label.p
    indirectbr ptr %label, [label %add, label %twice]
  add:
    %more = add i64 %x, 1
    ret i64 %more
  twice:
    %much = mul i64 %x, 2
    ret i64 %much
  }
  define i64 @reads(i64 %i) {
    %label.p = getelementptr [2 x ptr], ptr @labels, i64 0, i64 %i
    %label = load ptr, ptr %label.p
    %null = icmp eq ptr %label, null
    %r = zext i1 %null to i64
    ret i64 %r
  })";

TEST_P(OptimizedCacheTest, FunctionsWithTablesOfLabelsBeginOptimized) {
  MakeHot({kLabels}, "f", 3, 6);
  Begin({kLabels}, kNever);
  EXPECT_EQ(Call("f", 4), 5);
  EXPECT_EQ(Call("f", 5), 10);
  EXPECT_EQ(Hotness("f").tier, 1);
  // The table comes with the first body.
  EXPECT_EQ(Call("reads", 1), 0);
  EXPECT_EQ(Call("f", 4), 5);
  EXPECT_EQ(Call("f", 5), 10);
}

// The first body in the cache is found to be damaged when only the optimized one was needed so far.
TEST_P(OptimizedCacheTest, DamagedFirstBodiesOfGroupsAreCompiledAnew) {
  MakeHot({kLabels}, "f", 3, 6);
  const std::vector<std::string> functions = cache_->Objects("function ");
  ASSERT_THAT(functions, SizeIs(1));
  constexpr size_t kSymbols = 3;
  const CachedObject first = DecodeCachedObject(functions[0], kSymbols).value();
  cache_->ReplaceAll("function ", EncodeCachedObject(first, "nonsense"));
  Begin({kLabels}, kNever);
  EXPECT_EQ(Call("f", 4), 5);
  EXPECT_EQ(Hotness("f").tier, 1);
  EXPECT_EQ(Call("reads", 1), 0);
  EXPECT_EQ(Call("f", 5), 10);
}

TEST_P(OptimizedCacheTest, ExceptionsPassThroughIt) {
  const std::string module = R"(
    declare void @firstcall_test_throw_number(i64)
    define i64 @f(i64 %x) uwtable {
      %throws = icmp sgt i64 %x, 10
      br i1 %throws, label %throw, label %end
    throw:
      call void @firstcall_test_throw_number(i64 %x)
      br label %end
    end:
      ret i64 %x
    })";
  MakeHot({module}, "f", 1, 1);
  Begin({module}, kNever);
  int64_t caught = 0;
  try {
    (void)Call("f", 42);
  } catch (int64_t number) {
    caught = number;
  }
  EXPECT_EQ(caught, 42);
  EXPECT_EQ(Hotness("f").tier, 1);
}

TEST_P(OptimizedCacheTest, ModulesWhoseFunctionsBeganOptimizedAreRemovedAndDetached) {
  MakeHot({kPlus}, "plus", 1, 6);
  Begin({kPlus}, kNever);
  EXPECT_EQ(Call("plus", 7), 12);
  EXPECT_THAT(engine_->Remove(last_), IsOk());
  EXPECT_THAT(stats().promotions.functions, IsEmpty());
  Begin({kPlus}, kNever);
  auto* plus = Get<int64_t(int64_t)>("plus");
  EXPECT_EQ(plus(7), 12);
  absl::StatusOr<std::unique_ptr<DetachedCode>> code = engine_->Detach(last_);
  ASSERT_THAT(code, IsOk());
  engine_ = nullptr;
  EXPECT_EQ(plus(8), 13);
}

// Each engine uses what the others have made, whenever that is.
TEST_P(OptimizedCacheTest, EnginesShareItAtOnce) {
  constexpr int kEngines = 4, kFunctions = 8;
  std::string module;
  for (int i = 0; i < kFunctions; ++i) {
    absl::StrAppend(
        &module, "define i64 @f", i, "(i64 %x) {\n",
        i == 0 ? "%y = add i64 %x, 1\n"
               : absl::StrCat("%z = call i64 @f", i - 1, "(i64 %x)\n", "%y = add i64 %z, 1\n"),
        "ret i64 %y }\n");
  }
  const std::string bitcode = ParseToBitcode(module);
  std::vector<std::thread> threads;
  for (int t = 0; t < kEngines; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        EngineOptions options;
        SetWay(GetParam(), options.promotion);
        options.promotion.threshold = 5;
        options.object_cache = cache_;
        std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
        ASSERT_THAT(engine->AddBitcode(bitcode, "module"), IsOk());
        for (int call = 0; call < 200; ++call) {
          const int f = call % kFunctions;
          auto function = engine->Lookup<int64_t(int64_t)>(absl::StrCat("f", f));
          EXPECT_EQ((*function)(call), call + f + 1);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// --- Ahead of time ---

constexpr char kProgram[] = R"(
  define internal i64 @local(i64 %x) noinline { %y = mul i64 %x, 3 ret i64 %y }
  define i64 @listed(i64 %x) {
    %y = call i64 @local(i64 %x)
    ret i64 %y
  }
  define i64 @other(i64 %x) { ret i64 %x })";

TEST_P(OptimizedCacheTest, PreparedFunctionsAreOptimized) {
  Begin({kProgram}, kNever);
  PrepareOptions options;
  options.optimizes = true;
  EXPECT_THAT(engine_->Prepare({"listed", "local$0"}, options), IsOk());
  EXPECT_EQ(stats().promotions_made, 2u);
  EXPECT_EQ(Hotness("listed").tier, 1);
  EXPECT_EQ(Hotness("local$0").tier, 1);
  EXPECT_EQ(Call("listed", 2), 6);
  EXPECT_THAT(engine_->Prepare({"listed"}, options), IsOk());
  EXPECT_EQ(stats().promotions_made, 2u) << "it has one already";
  Begin({kProgram}, kNever);
  EXPECT_EQ(Call("listed", 2), 6);
  EXPECT_EQ(Call("other", 2), 2);
  EXPECT_EQ(stats().promotions_cached, 2u);
  EXPECT_EQ(stats().functions_compiled, 1u);
}

TEST_P(OptimizedCacheTest, AllFunctionsCanBePreparedOnSeveralThreads) {
  options_.compile_threads = 2;
  Begin({kProgram}, kNever);
  PrepareOptions options;
  options.optimizes = true;
  EXPECT_THAT(engine_->PrepareAll(options), IsOk());
  EXPECT_EQ(stats().promotions_made, 3u);
  EXPECT_EQ(stats().promotions_failed, 0u);
  Begin({kProgram}, kNever);
  EXPECT_EQ(Call("listed", 2), 6);
  EXPECT_EQ(Call("other", 2), 2);
  EXPECT_EQ(stats().promotions_cached, 3u);
  EXPECT_EQ(stats().functions_compiled, 0u);
}

// `keeps` cannot be replaced.
TEST_P(OptimizedCacheTest, PreparingWhatCannotBeOptimizedIsNoError) {
  const std::string module = R"(
    define i64 @keeps(i64 %x) noinline optnone { ret i64 %x }
    define i64 @plain(i64 %x) { ret i64 %x })";
  Begin({module}, kNever);
  PrepareOptions options;
  options.optimizes = true;
  EXPECT_THAT(engine_->PrepareAll(options), IsOk());
  EXPECT_EQ(stats().promotions_made, 1u);
  EXPECT_EQ(Call("keeps", 4), 4);
  options_.tier = Tier::kZero;
  Begin({module}, kNever);
  EXPECT_THAT(engine_->PrepareAll(options), IsOk());
  EXPECT_EQ(stats().promotions_made, 0u);
}

}  // namespace
}  // namespace firstcall

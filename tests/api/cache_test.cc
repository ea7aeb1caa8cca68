// An engine with an object cache: what a second engine finds there it need not compile, and it does
// the same with it.

#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "seam/listener.h"
#include "tests/api/memory_cache.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

// Has nothing, and notes what the engine says of indexes.
class NotingCache final : public ObjectCache {
 public:
  std::optional<Bytes> Find(const ObjectKey& key) override {
    if (key.part.kind == ModulePart::Kind::kIndex) Note("find", {key});
    return std::nullopt;
  }
  void Expect(absl::Span<const ObjectKey> keys) override { Note("expect", keys); }
  void Store(const ObjectKey& /*key*/, Bytes /*object*/) override {}
  bool keeps() const override { return false; }

  std::vector<std::string> notes;

 private:
  void Note(const std::string& what, absl::Span<const ObjectKey> keys) {
    notes.push_back(what);
    for (const ObjectKey& key : keys) {
      EXPECT_EQ(key.part.kind, ModulePart::Kind::kIndex);
      absl::StrAppend(&notes.back(), " ", key.module.substr(key.module.rfind('/') + 1));
      signatures_[std::string(key.module)].insert(std::string(key.signature));
      // That which is expected is looked for.
      EXPECT_EQ(signatures_[std::string(key.module)].size(), 1u);
    }
  }

  std::map<std::string, std::set<std::string>> signatures_;  // By module.
};

class CacheTest : public testing::Test {
 protected:
  std::unique_ptr<Engine> MakeEngine() {
    EngineOptions options = options_;
    options.object_cache = cache_;
    return Engine::Create(options).value();
  }

  static int CallInt(Engine& engine, absl::string_view name, int argument) {
    absl::StatusOr<int (*)(int)> function = engine.Lookup<int(int)>(name);
    EXPECT_THAT(function, IsOk());
    return function.ok() ? (*function)(argument) : -1;
  }

  // An engine of its own each time: its result, and what it had to compile.
  struct Outcome {
    int result = 0;
    Stats stats;
  };
  Outcome Run(const std::vector<std::string>& modules, absl::string_view name, int argument) {
    std::unique_ptr<Engine> engine = MakeEngine();
    for (size_t i = 0; i < modules.size(); ++i) {
      EXPECT_THAT(engine->AddBitcode(ParseToBitcode(modules[i]), absl::StrCat("module", i)),
                  IsOk());
    }
    Outcome outcome;
    outcome.result = CallInt(*engine, name, argument);
    outcome.stats = engine->stats();
    return outcome;
  }

  EngineOptions options_;
  std::shared_ptr<MemoryCache> cache_ = std::make_shared<MemoryCache>();
};

constexpr char kProgram[] = R"(
  @counter = internal global i32 40
  @text = private unnamed_addr constant [4 x i8] c"abc\00"
  declare i64 @strlen(ptr)
  define internal i32 @local(i32 %x) {
    %c = load i32, ptr @counter
    %n = add i32 %c, %x
    store i32 %n, ptr @counter
    ret i32 %n
  }
  define i32 @sometimes(i32 %x) {
    %r = call i32 @local(i32 %x)
    ret i32 %r
  }
  define i32 @f(i32 %x) {
    %r = call i32 @local(i32 %x)
    %c = icmp sgt i32 %x, 100
    br i1 %c, label %large, label %small
  large:
    %s = call i32 @sometimes(i32 %x)
    ret i32 %s
  small:
    %l = call i64 @strlen(ptr @text)
    %l32 = trunc i64 %l to i32
    %sum = add i32 %r, %l32
    ret i32 %sum
  })";

TEST_F(CacheTest, SecondEngineCompilesNothing) {
  for (Mode mode : {Mode::kLazy, Mode::kEager}) {
    options_.mode = mode;
    const Outcome cold = Run({kProgram}, "f", 2);
    EXPECT_EQ(cold.result, 45);
    EXPECT_GT(cold.stats.functions_compiled, 0u);
    EXPECT_EQ(cold.stats.functions_cached, 0u);
    const Outcome warm = Run({kProgram}, "f", 2);
    EXPECT_EQ(warm.result, 45);
    EXPECT_EQ(warm.stats.functions_compiled, 0u);
    EXPECT_EQ(warm.stats.functions_cached, cold.stats.functions_compiled);
    EXPECT_EQ(warm.stats.objects_linked, cold.stats.objects_linked);
    EXPECT_EQ(warm.stats.objects_cached, warm.stats.objects_linked);
    EXPECT_EQ(warm.stats.functions_known, 3u);
  }
}

TEST_F(CacheTest, WhatIsMissingIsCompiledAndAdded) {
  Run({kProgram}, "f", 2);
  const Outcome more = Run({kProgram}, "f", 200);
  EXPECT_EQ(more.result, 440);
  EXPECT_EQ(more.stats.functions_compiled, 1u);
  EXPECT_EQ(more.stats.functions_cached, 2u);
  EXPECT_EQ(Run({kProgram}, "f", 200).stats.functions_compiled, 0u);
}

// `local` came along with `f`.
TEST_F(CacheTest, FunctionThatWasCompiledAlongIsFoundByItself) {
  Run({kProgram}, "f", 2);
  const Outcome other = Run({kProgram}, "sometimes", 2);
  EXPECT_EQ(other.result, 42);
  const Outcome again = Run({kProgram}, "sometimes", 2);
  EXPECT_EQ(again.result, 42);
  EXPECT_EQ(again.stats.functions_compiled, 0u);
}

// The object of `f` has `small`, too, which comes from the object of `other`. What says how the
// functions of an object count their calls is about those of them that are used.
TEST_F(CacheTest, FunctionsOfAnObjectMayBeThereAlready) {
  constexpr char kSharedCallee[] = R"(
    define internal i32 @small(i32 %x) {
      %r = add i32 %x, 1
      ret i32 %r
    }
    define i32 @f(i32 %x) {
      %r = call i32 @small(i32 %x)
      ret i32 %r
    }
    define i32 @other(i32 %x) {
      %y = call i32 @small(i32 %x)
      %r = add i32 %y, 10
      ret i32 %r
    })";
  options_.tier = Tier::kAuto;
  EXPECT_EQ(Run({kSharedCallee}, "f", 1).result, 2);
  EXPECT_EQ(Run({kSharedCallee}, "other", 1).stats.functions_compiled, 2u);
  std::unique_ptr<Engine> engine = MakeEngine();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(kSharedCallee), "module0"), IsOk());
  EXPECT_EQ(CallInt(*engine, "other", 1), 12);
  EXPECT_EQ(CallInt(*engine, "f", 1), 2);
  const Stats stats = engine->stats();
  EXPECT_EQ(stats.functions_compiled, 0u);
  std::vector<std::string> counted;
  for (const FunctionHotness& function : stats.promotions.functions) {
    counted.push_back(function.function);
  }
  EXPECT_THAT(counted, UnorderedElementsAre("small$0", "f", "other"));
}

TEST_F(CacheTest, BodiesAreNotLookedAt) {
  class NoModules final : public Listener {
   public:
    bool sees_modules() const override { return true; }
    void OnModuleMade(const llvm::Module&) override { ++count; }
    int count = 0;
  };
  auto listener = std::make_shared<NoModules>();
  options_.listeners.push_back(listener);
  Run({kProgram}, "f", 2);
  EXPECT_GT(std::exchange(listener->count, 0), 0);
  Run({kProgram}, "f", 2);
  EXPECT_EQ(listener->count, 0);
}

TEST_F(CacheTest, TextIsNotParsedAgain) {
  for (bool is_warm : {false, true}) {
    std::unique_ptr<Engine> engine = MakeEngine();
    ASSERT_THAT(engine->AddAssembly(kProgram, "text"), IsOk());
    EXPECT_EQ(CallInt(*engine, "f", 2), 45);
    EXPECT_EQ(engine->stats().functions_compiled == 0, is_warm);
    // What is not there can still be compiled.
    EXPECT_EQ(CallInt(*engine, "f", 200), 442);
  }
}

TEST_F(CacheTest, ModulesInMemoryAreKnownByTheirContents) {
  for (bool is_warm : {false, true}) {
    std::unique_ptr<Engine> engine = MakeEngine();
    auto context = std::make_unique<llvm::LLVMContext>();
    std::unique_ptr<llvm::Module> module = ParseModule(kProgram, *context);
    ASSERT_THAT(engine->AddModule(std::move(context), std::move(module)), IsOk());
    EXPECT_EQ(CallInt(*engine, "f", 2), 45);
    EXPECT_EQ(engine->stats().functions_compiled == 0, is_warm);
    EXPECT_EQ(CallInt(*engine, "f", 200), 442);
  }
}

TEST_F(CacheTest, OtherSourceOptionsOrKeysAreOtherObjects) {
  Run({kProgram}, "f", 2);
  options_.codegen_level = CodegenLevel::kO2;
  EXPECT_EQ(Run({kProgram}, "f", 2).stats.functions_cached, 0u);
  options_.tier = Tier::kOne;
  EXPECT_EQ(Run({kProgram}, "f", 2).stats.functions_cached, 0u);
  EXPECT_GT(Run({kProgram}, "f", 2).stats.functions_cached, 0u);
  options_.tier = Tier::kAuto;
  EXPECT_GT(Run({kProgram}, "f", 2).stats.functions_cached, 0u);
  options_.codegen_level = CodegenLevel::kO0;
  EXPECT_GT(Run({kProgram}, "f", 2).stats.functions_cached, 0u);
  options_.cpu = "generic";
  EXPECT_EQ(Run({kProgram}, "f", 2).stats.functions_cached, 0u);
  options_.cpu = "";
  options_.cache_key = {{"front end", "2"}};
  EXPECT_EQ(Run({kProgram}, "f", 2).stats.functions_cached, 0u);
  EXPECT_GT(Run({kProgram}, "f", 2).stats.functions_cached, 0u);
  options_.cache_key = {{"front end", "3"}};
  EXPECT_EQ(Run({kProgram}, "f", 2).stats.functions_cached, 0u);
  options_.cache_key = {};
  const std::string other = absl::StrCat(kProgram, "\n@other = global i32 0");
  EXPECT_EQ(Run({other}, "f", 2).stats.functions_cached, 0u);
}

// In the first run `w` is the module's own and compiled into `f`; in the second another module's
// strong one counts, in the third again the own.
TEST_F(CacheTest, ObjectIsNotUsedWhereAnotherDefinitionCounts) {
  const std::string module = R"(
    define weak i32 @w(i32 %x) { ret i32 1 }
    @v = weak global i32 10
    @a = weak alias i32, ptr @v
    define i32 @f(i32 %x) {
      %r = call i32 @w(i32 %x)
      %a = load i32, ptr @a
      %s = add i32 %r, %a
      ret i32 %s
    })";
  const std::string strong = R"(
    define i32 @w(i32 %x) { ret i32 2 }
    @a = global i32 20)";
  EXPECT_EQ(Run({module}, "f", 0).result, 11);
  EXPECT_EQ(Run({strong, module}, "f", 0).result, 22);
  EXPECT_EQ(Run({module}, "f", 0).result, 11);
  const Outcome again = Run({module}, "f", 0);
  EXPECT_EQ(again.result, 11);
  EXPECT_EQ(again.stats.functions_compiled, 0u);
}

TEST_F(CacheTest, FunctionsThatShareBlockAddressesComeTogether) {
  const std::string module = R"(
    @table = internal global [1 x ptr] [ptr blockaddress(@in_data, %target)]
    define i32 @in_data(i32 %x) {
      %p = load ptr, ptr @table
      indirectbr ptr %p, [label %target]
    target:
      ret i32 5
    }
    define ptr @tell(i32 %x) {
      ret ptr blockaddress(@shares, %there)
    }
    define i32 @shares(i32 %x) {
      %c = icmp eq i32 %x, 0
      br i1 %c, label %first, label %there
    first:
      %p = call ptr @tell(i32 0)
      indirectbr ptr %p, [label %there]
    there:
      ret i32 6
    })";
  for (absl::string_view name : {"in_data", "shares"}) {
    const Outcome cold = Run({module}, name, 0);
    const Outcome warm = Run({module}, name, 0);
    EXPECT_EQ(cold.result, name == "in_data" ? 5 : 6);
    EXPECT_EQ(warm.result, cold.result);
    EXPECT_EQ(warm.stats.functions_compiled, 0u);
    EXPECT_EQ(warm.stats.functions_cached, cold.stats.functions_compiled);
  }
}

TEST_F(CacheTest, ObjectsThatAreNoneAreCompiledAnew) {
  Run({kProgram}, "f", 2);
  for (const std::string& bytes :
       {std::string(), std::string("nonsense"), std::string(100, '\0')}) {
    for (absl::string_view part : {"function", "data", "index"}) {
      cache_->ReplaceAll(part, bytes);
      EXPECT_EQ(Run({kProgram}, "f", 2).result, 45);
    }
  }
  EXPECT_EQ(Run({kProgram}, "f", 2).stats.functions_compiled, 0u);
}

TEST_F(CacheTest, ReasonOfAFailureIsTheSame) {
  const std::string module = R"(
    declare i32 @no_such_function(i32)
    define i32 @f(i32 %x) {
      %r = call i32 @no_such_function(i32 %x)
      ret i32 %r
    })";
  std::vector<std::string> reasons;
  for (int run = 0; run < 2; ++run) {
    std::unique_ptr<Engine> engine = MakeEngine();
    ASSERT_THAT(engine->AddBitcode(ParseToBitcode(module), "module"), IsOk());
    absl::Status status = engine->Prepare({"f"});
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kNotFound));
    reasons.push_back(std::string(status.message()));
  }
  EXPECT_EQ(reasons[0], reasons[1]);
}

TEST_F(CacheTest, ObjectsSayWhatTheyAre) {
  Run({kProgram}, "f", 2);
  const std::vector<std::string> functions = cache_->Objects("function");
  EXPECT_THAT(functions, Not(IsEmpty()));
  size_t objects = 0;
  for (const std::string& object : functions) {
    if (!absl::StartsWith(object, "\177ELF")) continue;
    ++objects;
    EXPECT_THAT(object, HasSubstr("firstcall function "));
    EXPECT_THAT(object, HasSubstr(" signature "));
  }
  EXPECT_GT(objects, 0u);
  EXPECT_THAT(cache_->Objects("data"), Each(HasSubstr("firstcall data signature ")));
}

TEST_F(CacheTest, IsFlushedWhenTheEngineGoes) {
  std::unique_ptr<Engine> engine = MakeEngine();
  EXPECT_EQ(cache_->flushes, 0);
  engine = nullptr;
  EXPECT_EQ(cache_->flushes, 1);
}

TEST_F(CacheTest, DestructorsAndEntryPointsAreKnownWithoutReadingTheModule) {
  const std::string module = R"(
    @state = global i32 1
    define internal void @construct() { store i32 2, ptr @state  ret void }
    @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [
        { i32, ptr, ptr } { i32 65535, ptr @construct, ptr null }]
    define i32 @main() { %s = load i32, ptr @state  ret i32 %s }
    define void @not_main(double %x) { ret void })";
  for (bool is_warm : {false, true}) {
    std::unique_ptr<Engine> engine = MakeEngine();
    ASSERT_THAT(engine->AddBitcode(ParseToBitcode(module), "module"), IsOk());
    EXPECT_THAT(engine->RunMain({"program"}, "not_main"),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is not an i32")));
    EXPECT_EQ(engine->RunMain({"program"}).value(), 2);
    EXPECT_EQ(engine->stats().functions_compiled == 0, is_warm);
  }
}

// Each function calls the next, so some bring others along, and threads meet at the same objects.
TEST_F(CacheTest, ThreadsLinkFromTheCacheAtOnce) {
  constexpr int kFunctions = 200, kThreads = 4;
  std::string module = absl::StrCat("define i32 @f", kFunctions, "(i32 %x) { ret i32 %x }\n");
  for (int i = 0; i < kFunctions; ++i) {
    absl::StrAppend(
        &module, "define i32 @f", i, "(i32 %x) {\n  %y = add i32 %x, 1\n  %c = icmp sgt i32 %y, ",
        i % 3 == 0 ? 1000000 : -1000000, "\n  br i1 %c, label %a, label %b\na:\n  %r = call i32 @f",
        i + 1, "(i32 %y)\n  ret i32 %r\nb:\n  %s = call i32 @f", i + 1,
        "(i32 %y)\n  ret i32 %s\n}\n");
  }
  const std::string bitcode = ParseToBitcode(module);
  for (bool is_warm : {false, true}) {
    for (size_t compile_threads : {0, 2}) {
      options_.compile_threads = compile_threads;
      std::unique_ptr<Engine> engine = MakeEngine();
      ASSERT_THAT(engine->AddBitcode(bitcode, "module"), IsOk());
      std::vector<std::thread> threads;
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          for (int i = t * 40; i < kFunctions; i += 7) {
            EXPECT_EQ(CallInt(*engine, absl::StrCat("f", i), 0), kFunctions - i);
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      if (!is_warm) continue;
      EXPECT_EQ(engine->stats().functions_compiled, 0u);
    }
  }
}

TEST_F(CacheTest, FilesThatAreAddedTogetherAreExpectedTogether) {
  const auto cache = std::make_shared<NotingCache>();
  EngineOptions options;
  options.object_cache = cache;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  std::vector<std::string> files;
  for (const char* name : {"a", "b", "c"}) {
    files.push_back(absl::StrCat(testing::TempDir(), "/", name, ".bc"));
    std::ofstream(files.back()) << ParseToBitcode(
        absl::StrCat("define i32 @", name, "() { ret i32 1 }"));
  }
  EXPECT_THAT(engine->AddFile(files[2]), IsOk());
  EXPECT_THAT(cache->notes, testing::ElementsAre("find c.bc"));
  cache->notes.clear();
  EXPECT_THAT(engine->AddFiles({files[0], files[1]}), IsOk());
  EXPECT_THAT(cache->notes, testing::ElementsAre("expect a.bc b.bc", "find a.bc", "find b.bc"));
}

}  // namespace
}  // namespace firstcall

// When an engine's code has debug information: what asks for it, and what is made then.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/synchronization/mutex.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "seam/event.h"
#include "seam/listener.h"
#include "tests/api/counting_debugger.h"
#include "tests/api/memory_cache.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

// Data, and a function with a loop.
constexpr char kProgram[] = R"(
  @factor = global i64 3, !dbg !8
  define i64 @f(i64 %n) !dbg !4 {
  entry:
    %k = load i64, ptr @factor, !dbg !6
    br label %loop, !dbg !6
  loop:
    %i = phi i64 [ 0, %entry ], [ %j, %loop ], !dbg !7
    %sum = phi i64 [ 0, %entry ], [ %sum2, %loop ], !dbg !7
    %sum2 = add i64 %sum, %k, !dbg !7
    %j = add i64 %i, 1, !dbg !7
    %more = icmp slt i64 %j, %n, !dbg !7
    br i1 %more, label %loop, label %end, !dbg !7
  end:
    ret i64 %sum2, !dbg !7
  }
  !llvm.dbg.cu = !{!1}
  !llvm.module.flags = !{!0}
  !0 = !{i32 2, !"Debug Info Version", i32 3}
  !1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug,
                               globals: !{!8})
  !2 = !DIFile(filename: "f.c", directory: "/")
  !3 = !DISubroutineType(types: !{null})
  !4 = distinct !DISubprogram(name: "f", file: !2, line: 1, scopeLine: 1, type: !3,
                              unit: !1, spFlags: DISPFlagDefinition)
  !6 = !DILocation(line: 2, scope: !4)
  !7 = !DILocation(line: 3, scope: !4)
  !8 = !DIGlobalVariableExpression(var: !9, expr: !DIExpression())
  !9 = distinct !DIGlobalVariable(name: "factor", scope: !1, file: !2, type: !10,
                                   isDefinition: true)
  !10 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
)";

// Counts the objects with and without debug information.
class Objects final : public Listener {
 public:
  void OnPublished(const PublishedObject& object) override {
    absl::MutexLock lock(&mutex_);
    ++(absl::StrContains(object.object, ".debug_info") ? described_ : plain_);
  }
  int described() const {
    absl::MutexLock lock(&mutex_);
    return described_;
  }
  int plain() const {
    absl::MutexLock lock(&mutex_);
    return plain_;
  }

 private:
  mutable absl::Mutex mutex_;
  int described_ ABSL_GUARDED_BY(mutex_) = 0;
  int plain_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Wants code, or only hears.
class Hearer final : public EventListener {
 public:
  explicit Hearer(bool wants_code) : wants_code_(wants_code) {}
  bool wants_code() const override { return wants_code_; }
  void OnEvent(const Event& event) override {
    absl::MutexLock lock(&mutex_);
    if (event.lines == nullptr) return;
    for (const CodeLines::Row& row : event.lines->rows) {
      EXPECT_TRUE(absl::EndsWith(event.lines->files[row.file], "f.c"));
      if (row.line != 0) lines_[event.tier].insert(row.line);
    }
  }
  // Of all bodies of this tier.
  std::set<uint32_t> lines(int tier) const {
    absl::MutexLock lock(&mutex_);
    const auto found = lines_.find(tier);
    return found == lines_.end() ? std::set<uint32_t>() : found->second;
  }

 private:
  const bool wants_code_;
  mutable absl::Mutex mutex_;
  std::map<int, std::set<uint32_t>> lines_ ABSL_GUARDED_BY(mutex_);
};

enum class Given { kBitcode, kText, kModule };

class DebugInfoTest : public ::testing::TestWithParam<Given> {
 protected:
  void Run(EngineOptions options) {
    objects_ = std::make_shared<Objects>();
    options.listeners.push_back(objects_);
    ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Engine> engine, Engine::Create(std::move(options)));
    switch (GetParam()) {
      case Given::kBitcode:
        ASSERT_THAT(engine->AddBitcode(ParseToBitcode(kProgram), "program"), IsOk());
        break;
      case Given::kText:
        ASSERT_THAT(engine->AddAssembly(kProgram, "program"), IsOk());
        break;
      case Given::kModule: {
        auto context = std::make_unique<llvm::LLVMContext>();
        std::unique_ptr<llvm::Module> module = ParseModule(kProgram, *context);
        ASSERT_THAT(engine->AddModule(std::move(context), std::move(module)), IsOk());
        break;
      }
    }
    ASSERT_OK_AND_ASSIGN(auto* const f, engine->Lookup<int64_t(int64_t)>("f"));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(f(100), 300);
    stats_ = engine->stats();
  }

  bool HasAll() const { return objects_->described() > 0 && objects_->plain() == 0; }
  bool HasNone() const { return objects_->described() == 0 && objects_->plain() > 0; }

  std::shared_ptr<Objects> objects_;
  Stats stats_;
};

INSTANTIATE_TEST_SUITE_P(Given, DebugInfoTest,
                         ::testing::Values(Given::kBitcode, Given::kText, Given::kModule));

TEST_P(DebugInfoTest, NobodyHasAskedForIt) {
  Run({});
  EXPECT_TRUE(HasNone());
  EXPECT_EQ(stats_.functions_baseline, 1u);
  EXPECT_THAT(stats_.baseline_refusals, IsEmpty());
}

TEST_P(DebugInfoTest, TheOptionsAskForIt) {
  EngineOptions options;
  options.debug_info = DebugInfo::kAlways;
  Run(options);
  EXPECT_TRUE(HasAll());
  EXPECT_EQ(stats_.functions_baseline, 0u);
}

TEST_P(DebugInfoTest, ADebuggerIsThere) {
  ASSERT_THAT(Engine::Create(EngineOptions()), IsOk());  // Installs LLVM's listener, once.
  const CountingDebugger debugger;
  Run({});
  EXPECT_TRUE(HasAll());
  EXPECT_GT(debugger.told().objects, 0u);
  EngineOptions options;
  options.debug_info = DebugInfo::kNever;
  Run(options);
  EXPECT_TRUE(HasNone());
}

// The code is that of a run in which nobody listens.
TEST_P(DebugInfoTest, AnEventListenerWantsCode) {
  for (const bool wants_code : {true, false}) {
    const auto listener = std::make_shared<Hearer>(wants_code);
    EngineOptions options;
    options.event_listeners.push_back(listener);
    Run(options);
    EXPECT_TRUE(HasNone());
    EXPECT_EQ(stats_.functions_baseline, 1u);
    const std::set<uint32_t> all = {1, 2, 3};
    EXPECT_EQ(listener->lines(0), wants_code ? all : std::set<uint32_t>());
  }
}

// Also if nothing has been compiled from the module in this run. What a run without a listener has
// left is not used.
TEST_P(DebugInfoTest, CodeFromTheCacheHasLinesIfAnEventListenerWantsCode) {
  EngineOptions options;
  options.object_cache = std::make_shared<MemoryCache>();
  Run(options);
  for (const bool is_cached : {false, true}) {
    const auto listener = std::make_shared<Hearer>(/*wants_code=*/true);
    options.event_listeners = {listener};
    Run(options);
    EXPECT_EQ(stats_.functions_cached, is_cached ? 1u : 0u);
    const std::set<uint32_t> all = {1, 2, 3};
    EXPECT_EQ(listener->lines(0), all);
  }
}

TEST_P(DebugInfoTest, LlvmsCodeHasLinesIfAnEventListenerWantsCode) {
  for (const auto& [mode, tier, backend] :
       {std::tuple(Mode::kLazy, Tier::kOne, Backend::kAuto),
        std::tuple(Mode::kLazy, Tier::kZero, Backend::kLlvm),
        std::tuple(Mode::kLazy, Tier::kZero, Backend::kMcjit)}) {
    const auto listener = std::make_shared<Hearer>(/*wants_code=*/true);
    EngineOptions options;
    options.event_listeners.push_back(listener);
    options.mode = mode;
    options.tier = tier;
    options.backend = backend;
    Run(options);
    EXPECT_TRUE(HasAll());
    EXPECT_THAT(listener->lines(0), Contains(3u));
  }
}

TEST_P(DebugInfoTest, OptimizedCodeHasLinesIfAnEventListenerWantsCode) {
  const auto listener = std::make_shared<Hearer>(/*wants_code=*/true);
  EngineOptions options;
  options.event_listeners.push_back(listener);
  options.promotion.threads = 0;
  options.promotion.threshold = 10;
  Run(options);
  EXPECT_THAT(stats_.promotions.functions, Not(IsEmpty()));
  EXPECT_THAT(listener->lines(0), ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(listener->lines(1), Contains(3u));
}

TEST_P(DebugInfoTest, IsNotMadeIfItMustNotBe) {
  const auto listener = std::make_shared<Hearer>(/*wants_code=*/true);
  EngineOptions options;
  options.event_listeners.push_back(listener);
  options.debug_info = DebugInfo::kNever;
  Run(options);
  EXPECT_TRUE(HasNone());
  EXPECT_THAT(listener->lines(0), IsEmpty());
}

TEST_P(DebugInfoTest, OptimizedCodeHasItIfFirstBodiesHaveIt) {
  for (const DebugInfo debug_info : {DebugInfo::kAlways, DebugInfo::kAuto}) {
    EngineOptions options;
    options.promotion.threads = 0;
    options.promotion.threshold = 10;
    options.debug_info = debug_info;
    Run(options);
    EXPECT_GT(objects_->described() + objects_->plain(), 2);
    EXPECT_THAT(stats_.promotions.functions, Not(IsEmpty()));
    EXPECT_EQ(HasAll(), debug_info == DebugInfo::kAlways);
    EXPECT_EQ(HasNone(), debug_info == DebugInfo::kAuto);
  }
}

TEST_P(DebugInfoTest, EveryWayToMakeCodeHeedsIt) {
  for (const DebugInfo debug_info : {DebugInfo::kAlways, DebugInfo::kAuto}) {
    for (const auto& [mode, tier, backend] :
         {std::tuple(Mode::kEager, Tier::kAuto, Backend::kAuto),
          std::tuple(Mode::kLazy, Tier::kOne, Backend::kAuto),
          std::tuple(Mode::kLazy, Tier::kZero, Backend::kLlvm),
          std::tuple(Mode::kLazy, Tier::kZero, Backend::kMcjit)}) {
      EngineOptions options;
      options.mode = mode;
      options.tier = tier;
      options.backend = backend;
      options.debug_info = debug_info;
      Run(options);
      EXPECT_EQ(HasAll(), debug_info == DebugInfo::kAlways);
      EXPECT_EQ(HasNone(), debug_info == DebugInfo::kAuto);
    }
  }
}

}  // namespace
}  // namespace firstcall

// What runs with a debugger and runs without one leave to each other in a cache.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "seam/stats.h"
#include "tests/api/counting_debugger.h"
#include "tests/api/memory_cache.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kFunctions = 40;
constexpr int64_t kSum = kFunctions * (kFunctions - 1) / 2;

// f0 calls f1, and so on. Each would call a function of its own for 424242, which is compiled along
// for a debugger if f0 and so on have debug information, and is never called.
std::string Program(bool is_described) {
  std::string text = R"(
    !llvm.dbg.cu = !{!1}
    !llvm.module.flags = !{!3}
    !0 = !DIFile(filename: "f.c", directory: "/")
    !1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !0, emissionKind: FullDebug)
    !2 = !DISubroutineType(types: !{null})
    !3 = !{i32 2, !"Debug Info Version", i32 3}
  )";
  for (int i = 0; i < kFunctions; ++i) {
    const std::string next = i + 1 < kFunctions ? absl::StrCat("call i64 @f", i + 1, "(i64 %x)")
                                                : "call i64 @llvm.abs.i64(i64 %x, i1 false)";
    const int subprogram = 2 * i + 4;
    const std::string description = is_described ? absl::StrCat(" !dbg !", subprogram) : "";
    const std::string line = is_described ? absl::StrCat(", !dbg !", subprogram + 1) : "";
    text += absl::Substitute(R"(
      !$4 = distinct !DISubprogram(name: "f$0", file: !0, line: 1, type: !2, unit: !1,
                                   spFlags: DISPFlagDefinition)
      !$5 = !DILocation(line: 1, scope: !$4)
      define i64 @f$0(i64 %x) noinline$2 {
        %c = icmp eq i64 %x, 424242
        br i1 %c, label %rare, label %call
      rare:
        %v = call i64 @rare$0(i64 %x)$3
        br label %end
      call:
        %z = $1$3
        br label %end
      end:
        %y = phi i64 [ %v, %rare ], [ %z, %call ]
        %r = add i64 %y, $0
        ret i64 %r
      }
      define internal i64 @rare$0(i64 %x) noinline { ret i64 %x })",
                             i, next, description, line, subprogram, subprogram + 1);
  }
  text += "declare i64 @llvm.abs.i64(i64, i1)\n";
  return ParseToBitcode(text);
}

struct Outcome {
  Stats stats;
  Told told;
};

class DebuggerCacheTest : public ::testing::TestWithParam<Tier> {
 protected:
  static Outcome RunOnce(const std::shared_ptr<MemoryCache>& cache, bool with_debugger,
                         bool is_described = true, DebugInfo debug_info = DebugInfo::kAlways) {
    EngineOptions options;
    options.tier = GetParam();
    options.object_cache = cache;
    options.debug_info = debug_info;
    const std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
    std::optional<CountingDebugger> debugger;
    if (with_debugger) debugger.emplace();
    EXPECT_TRUE(engine->AddBitcode(Program(is_described), "program").ok());
    EXPECT_EQ(engine->Lookup<int64_t(int64_t)>("f0").value()(5), 5 + kSum);
    return {engine->stats(), with_debugger ? debugger->told() : Told()};
  }
};

TEST_P(DebuggerCacheTest, SecondRunWithADebuggerCompilesNothingAndTellsItOfFewObjects) {
  const auto cache = std::make_shared<MemoryCache>();
  const Outcome first = RunOnce(cache, true, /*is_described=*/false);
  EXPECT_EQ(first.stats.functions_compiled, static_cast<size_t>(kFunctions));  // None in vain.
  EXPECT_GE(first.told.objects, 8u);
  const Outcome second = RunOnce(cache, true, /*is_described=*/false);
  EXPECT_EQ(second.stats.functions_compiled, 0u);
  EXPECT_GE(second.told.objects, 1u);
  EXPECT_LE(second.told.objects, first.told.objects / 2);
}

TEST_P(DebuggerCacheTest, RunsWithoutADebuggerDoNotUseWhatItCausedToBeCompiledTogether) {
  const auto cache = std::make_shared<MemoryCache>();
  const Outcome first = RunOnce(cache, true);
  EXPECT_GT(first.stats.functions_compiled, static_cast<size_t>(kFunctions));  // Some in vain.
  EXPECT_THAT(cache->Objects("for a debugger"), Not(IsEmpty()));
  RunOnce(cache, false);
  EXPECT_EQ(RunOnce(cache, false).stats.functions_compiled, 0u);

  const auto without_debugger = std::make_shared<MemoryCache>();
  EXPECT_EQ(RunOnce(without_debugger, false).stats.functions_compiled,
            static_cast<size_t>(kFunctions));
  EXPECT_THAT(without_debugger->Objects("for a debugger"), IsEmpty());
  int compared = 0;
  for (int ordinal = 0; ordinal < 2 * kFunctions; ++ordinal) {
    const std::string part = absl::StrCat("function ", ordinal, "\n");
    const std::vector<std::string> expected = without_debugger->Objects(part);
    EXPECT_EQ(cache->Objects(part), expected) << part;
    if (!expected.empty()) ++compared;
  }
  EXPECT_EQ(compared, kFunctions);
}

TEST_P(DebuggerCacheTest, RunWithADebuggerUsesWhatARunWithoutOneLeft) {
  const auto cache = std::make_shared<MemoryCache>();
  RunOnce(cache, false);
  EXPECT_EQ(RunOnce(cache, true).stats.functions_compiled, 0u);
  EXPECT_THAT(cache->Objects("for a debugger"), IsEmpty());
}

TEST_P(DebuggerCacheTest, RunsWithDebugInformationAndRunsWithoutItUseTheirOwn) {
  const auto cache = std::make_shared<MemoryCache>();
  RunOnce(cache, false, true, DebugInfo::kNever);
  EXPECT_GE(RunOnce(cache, false).stats.functions_compiled, static_cast<size_t>(kFunctions));
  EXPECT_EQ(RunOnce(cache, false).stats.functions_compiled, 0u);
  EXPECT_EQ(RunOnce(cache, false, true, DebugInfo::kNever).stats.functions_compiled, 0u);
  EXPECT_EQ(RunOnce(cache, false, true, DebugInfo::kAuto).stats.functions_compiled, 0u);
}

INSTANTIATE_TEST_SUITE_P(Tiers, DebuggerCacheTest, ::testing::Values(Tier::kZero, Tier::kAuto));

}  // namespace
}  // namespace firstcall

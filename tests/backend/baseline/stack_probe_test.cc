// Frames and allocas of functions with stack clash protection touch each page of the stack on
// their way.

#include "backend/baseline/stack_probe.h"

#include <sys/mman.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace {

char* lowest = nullptr;

}  // namespace

extern "C" void test_note_place(char* place) { lowest = place; }

namespace firstcall::baseline {
namespace {

std::unique_ptr<Engine> EngineFor(const std::string& program) {
  EngineOptions options;
  options.baseline = Baseline::kStrict;
  options.tier = Tier::kZero;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  EXPECT_THAT(engine->AddBitcode(ParseToBitcode(program), "program"), IsOk());
  EXPECT_THAT(engine->PrepareAll(), IsOk());
  return engine;
}

// The number of pages from `low` to `high` that are in memory.
int PagesInMemory(char* low, char* high) {
  const uintptr_t first = (reinterpret_cast<uintptr_t>(low) + 4095) / 4096;
  const uintptr_t last = reinterpret_cast<uintptr_t>(high) / 4096;
  int count = 0;
  for (uintptr_t page = first; page < last; ++page) {
    unsigned char state = 0;
    if (mincore(reinterpret_cast<void*>(page * 4096), 4096, &state) == 0 && (state & 1) != 0) {
      ++count;
    }
  }
  return count;
}

// Calls `function` on a deep stack that nobody has touched, and says how many of 300 pages above
// the noted place are in memory. The function itself touches none.
template <typename Function>
int PagesTouchedBy(const Function& function) {
  // AddressSanitizer moves variables away from the stack.
  char* const high = static_cast<char*>(__builtin_frame_address(0)) - 4096;
  madvise(reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(high) - (512 << 12)) & ~4095ull),
          500 << 12, MADV_DONTNEED);
  function();
  return PagesInMemory(high - (300 << 12), high);
}

constexpr char kLarge[] = R"(
  declare void @test_note_place(ptr)
  define i64 @f(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h) $0 {
    %large = alloca [$1 x i8]
    call void @test_note_place(ptr %large)
    %s = add i64 %a, %h
    ret i64 %s
  }
  define i64 @dynamic(i64 %n, i64 %none, i64 %size) $0 {
    %kept = alloca i64, i64 %n
    store i64 77, ptr %kept
    %empty = alloca i8, i64 %none
    %large = alloca i8, i64 %size, align 64
    call void @test_note_place(ptr %large)
    %r = load i64, ptr %kept
    ret i64 %r
  }
)";

constexpr char kProbe[] = "\"probe-stack\"=\"inline-asm\"";

TEST(StackProbeTest, LargeFramesTouchEachPage) {
  for (int bytes : {4000, 4096, 5000, 8192, 65536, 1234567}) {
    const auto engine = EngineFor(absl::Substitute(kLarge, kProbe, bytes));
    auto* f = engine
                  ->Lookup<int64_t(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                                   int64_t)>("f")
                  .value();
    auto* dynamic = engine->Lookup<int64_t(int64_t, int64_t, int64_t)>("dynamic").value();
    EXPECT_EQ(f(1, 2, 3, 4, 5, 6, 7, 8), 9);
    EXPECT_EQ(dynamic(1, 0, bytes), 77);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(lowest) % 64, 0u);
    EXPECT_EQ(dynamic(1000, 0, bytes), 77);
  }
}

#if defined(__x86_64__)  // An emulator may have touched the pages itself.
TEST(StackProbeTest, PagesAreInMemoryIfProbed) {
  constexpr int kBytes = 310 << 12;
  const auto probed = EngineFor(absl::Substitute(kLarge, kProbe, kBytes));
  const auto plain = EngineFor(absl::Substitute(kLarge, "", kBytes));
  for (const char* name : {"f", "dynamic"}) {
    auto* with = probed->Lookup<int64_t(int64_t, int64_t, int64_t)>(name).value();
    auto* without = plain->Lookup<int64_t(int64_t, int64_t, int64_t)>(name).value();
    EXPECT_GE(PagesTouchedBy([&] { with(1, 0, kBytes); }), 290) << name;
    EXPECT_LE(PagesTouchedBy([&] { without(1, 0, kBytes); }), 20) << name;
  }
}
#endif

}  // namespace
}  // namespace firstcall::baseline

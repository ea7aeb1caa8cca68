// What LLVM cannot compile for the target's CPU is compiled for the CPU that the function names.

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/api/promotion.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

BetterBodies* watched = nullptr;
absl::Time deadline;

extern "C" int firstcall_test_is_enough() {
  return watched->Contains(__builtin_return_address(0)) || absl::Now() > deadline ? 1 : 0;
}

// A loop for which LLVM 19 fails to select instructions if the CPU has AVX-512 but not its vectors
// of 512 bits and not those of 256 with masks.
constexpr char kLoop[] = R"(
    inner:
      %i = phi i64 [ 0, %outer ], [ %next, %inner ]
      %pa = getelementptr float, ptr %a, i64 %i
      %x = load float, ptr %pa
      %pb = getelementptr float, ptr %b, i64 %i
      %y = load float, ptr %pb
      %less = fcmp olt float %x, %y
      %d = fmul float %y, 2.0
      %z = select i1 %less, float %x, float %d
      %pt = getelementptr float, ptr %to, i64 %i
      store float %z, ptr %pt
      %next = add nuw i64 %i, 1
      %more = icmp ult i64 %next, %n
      br i1 %more, label %inner, label %done)";

// The same for the first eight, as vectors: LLVM fails whether it makes vectors of the loop or not.
constexpr char kFirstEight[] = R"(
      %va = load <8 x float>, ptr %a, align 4
      %vb = load <8 x float>, ptr %b, align 4
      %vless = fcmp olt <8 x float> %va, %vb
      %vd = fadd <8 x float> %vb, %vb
      %vz = select <8 x i1> %vless, <8 x float> %va, <8 x float> %vd
      store <8 x float> %vz, ptr %to, align 4
)";

// Without features of its own, the function would have those of the engine.
constexpr char kAttributes[] =
    R"( attributes #0 = { "target-cpu"="x86-64" "target-features"="+sse2" })";

std::string Choose() {
  return absl::StrCat(
      "define void @choose(ptr noalias %to, ptr noalias %a, ptr noalias %b, i64 %n) #0 {\n"
      "entry:\n  br label %outer\nouter:\n  br label %inner\n",
      kLoop, "\ndone:\n  ret void\n}\n", kAttributes);
}

// Runs the loop again and again, until it is in other code.
std::string ChooseUntilEnough() {
  return absl::StrCat(
      "declare i32 @firstcall_test_is_enough()\n"
      "define void @choose(ptr noalias %to, ptr noalias %a, ptr noalias %b, i64 %n) #0 {\n"
      "entry:\n  br label %outer\nouter:\n  br label %inner\n",
      kLoop, "\ndone:\n", kFirstEight,
      "  %enough = call i32 @firstcall_test_is_enough()\n"
      "  %is_enough = icmp ne i32 %enough, 0\n"
      "  br i1 %is_enough, label %end, label %outer\nend:\n  ret void\n}\n",
      kAttributes);
}

class CpuFallbackTest : public ::testing::TestWithParam<PromotionWay> {
 protected:
  void SetUp() override {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "for CPUs with AVX2";
#else
    GTEST_SKIP() << "for x86-64";
#endif
  }

  void Create(Tier tier, uint32_t threshold = 10) {
    EngineOptions options;
    options.tier = tier;
    options.cpu = "x86-64-v3";
    options.features = "+avx512f,-evex512";
    SetWay(GetParam(), options.promotion);
    options.promotion.threshold = threshold;
    options.listeners.push_back(bodies_);
    engine_ = Engine::Create(std::move(options)).value();
    watched = bodies_.get();
    deadline = absl::Now() + absl::Seconds(60);
  }

  using Function = void(float* to, const float* a, const float* b, int64_t n);

  absl::StatusOr<Function*> Add(const std::string& text) {
    EXPECT_THAT(engine_->AddBitcode(ParseToBitcode(text), "program"), IsOk());
    return engine_->Lookup<Function>("choose");
  }

  // Whether `choose` gives the right result.
  static bool IsRight(Function* choose) {
    constexpr int64_t kCount = 101;
    float to[kCount] = {};
    float a[kCount];
    float b[kCount];
    for (int64_t i = 0; i < kCount; ++i) {
      a[i] = static_cast<float>(i % 7);
      b[i] = static_cast<float>(i % 5);
    }
    choose(to, a, b, kCount);
    for (int64_t i = 0; i < kCount; ++i) {
      if (to[i] != (a[i] < b[i] ? a[i] : b[i] * 2)) return false;
    }
    return true;
  }

  const std::shared_ptr<BetterBodies> bodies_ = std::make_shared<BetterBodies>();
  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Ways, CpuFallbackTest, ::testing::ValuesIn(kPromotionWays), NameOfWay);

TEST_P(CpuFallbackTest, FunctionsThatAreOptimizedAtOnce) {
  Create(Tier::kOne);
  ASSERT_OK_AND_ASSIGN(Function * choose, Add(Choose()));
  EXPECT_TRUE(IsRight(choose));
  EXPECT_EQ(engine_->stats().functions_compiled, 1u);
}

TEST_P(CpuFallbackTest, HotFunctions) {
  Create(Tier::kAuto);
  ASSERT_OK_AND_ASSIGN(Function * choose, Add(Choose()));
  EXPECT_TRUE(DoUntil([&] { return HotnessOf(*engine_, "choose").tier == 1; },
                      [&] { EXPECT_TRUE(IsRight(choose)); }));
  EXPECT_TRUE(IsRight(choose));
}

TEST_P(CpuFallbackTest, RunningLoops) {
  Create(Tier::kAuto);
  ASSERT_OK_AND_ASSIGN(Function * choose, Add(ChooseUntilEnough()));
  EXPECT_TRUE(IsRight(choose));
  EXPECT_LT(absl::Now(), deadline);
  EXPECT_EQ(HotnessOf(*engine_, "choose").continuations, 1u);
}

// The failure of one function is none for others.
TEST_P(CpuFallbackTest, OtherFunctionsOfTheModule) {
  Create(Tier::kOne);
  ASSERT_OK_AND_ASSIGN(
      Function * choose,
      Add(absl::StrCat("define i64 @plus(i64 %x) { %y = add i64 %x, 5 ret i64 %y }\n"
                       "define i64 @twice(i64 %x) { %y = call i64 @plus(i64 %x) "
                       "%z = call i64 @plus(i64 %y) ret i64 %z }\n",
                       Choose())));
  auto* plus = engine_->Lookup<int64_t(int64_t)>("plus").value();
  EXPECT_EQ(plus(1), 6);
  EXPECT_TRUE(IsRight(choose));
  EXPECT_EQ(engine_->Lookup<int64_t(int64_t)>("twice").value()(1), 11);
  EXPECT_TRUE(IsRight(choose));
}

}  // namespace
}  // namespace firstcall

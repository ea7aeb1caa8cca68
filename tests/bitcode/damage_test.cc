// Damaged bitcode of small modules: no crash, no hang, little memory, and nothing that LLVM reads
// otherwise. damage_main tries as many changes as one likes.

#include "tests/bitcode/damage.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/bitcode/allocation_meter.h"
#include "tests/bitcode/compare_in_child.h"
#include "tests/bitcode/compare_readers.h"
#include "tests/bitcode/read_and_compile.h"
#include "tests/bitcode/samples.h"
#include "tests/testing/host.h"

namespace firstcall::testing {
namespace {

// Changes of each module for each target; each compared one costs as much as fifty others.
const uint64_t kChanges = IsEmulated() ? 20 : 200;
constexpr int kCompared = 3;

#if defined(__x86_64__)
constexpr SampleTarget kHere = SampleTarget::kX86_64;
#else
constexpr SampleTarget kHere = SampleTarget::kAArch64;
#endif

TEST(DamagedTest, IsRepeatable) {
  const std::string original(1000, 'x');
  EXPECT_EQ(Damaged(original, 1, 7), Damaged(original, 1, 7));
  EXPECT_NE(Damaged(original, 1, 7), Damaged(original, 1, 8));
  EXPECT_NE(Damaged(original, 1, 7), Damaged(original, 2, 7));
  EXPECT_EQ(Damaged("", 1, 7), "");
}

TEST(DamagedTest, ChangesLengthAndContents) {
  const std::string original(1000, 'x');
  std::set<size_t> lengths;
  int same_length = 0;
  for (uint64_t number = 0; number < 200; ++number) {
    const std::string damaged = Damaged(original, 1, number);
    lengths.insert(damaged.size());
    if (damaged.size() == original.size()) ++same_length;
  }
  EXPECT_GT(lengths.size(), 20u);
  EXPECT_GT(same_length, 100);
}

TEST(DamagedTest, TakesTheShortest) {
  for (uint64_t number = 0; number < 100; ++number) EXPECT_LT(Damaged("x", 1, number).size(), 40u);
}

using Parameter = std::tuple<Sample, SampleTarget>;

class DamageTest : public ::testing::TestWithParam<Parameter> {
 protected:
  // Without names of local values: LLVM takes a damaged list of these for one of globals.
  const std::string bitcode_ =
      AssembleToBitcode(TextFor(std::get<Sample>(GetParam()), std::get<SampleTarget>(GetParam())),
                        Extras::kNothing)
          .value_or("");
  ReadAndCompile read_and_compile_;
};

TEST_P(DamageTest, WithoutDamageAllIsAccepted) {
  const ReadAndCompile::Outcome outcome = read_and_compile_.Run(bitcode_);
  EXPECT_TRUE(outcome.module.ok()) << outcome.module;
  EXPECT_EQ(outcome.unknown, std::get<Sample>(GetParam()).refused) << outcome.first_failure;
  EXPECT_EQ(outcome.invalid, 0) << outcome.first_failure;
}

TEST_P(DamageTest, IsReportedOrHarmless) {
  int compared = 0;
  for (uint64_t number = 0; number < kChanges; ++number) {
    SCOPED_TRACE(absl::StrCat("change ", number));
    const std::string damaged = Damaged(bitcode_, /*seed=*/1, number);
    const absl::Time start = absl::Now();
    AllocationMeter::Start((size_t{64} << 20) + 32 * damaged.size());
    const ReadAndCompile::Outcome outcome = read_and_compile_.Run(damaged);
    AllocationMeter::Stop();
    EXPECT_LT(absl::Now() - start, absl::Seconds(10));
    if (!outcome.accepts_all() || ++compared > kCompared) continue;
    const ChildComparison comparison = CompareReadersInChild(damaged);
    EXPECT_NE(comparison.verdict, ChildVerdict::kDifferent) << comparison.difference;
  }
}

// The compiler half without LLVM refuses some samples as a whole, such as the one with assembly.
TEST(ReadAndCompileTest, MostSamplesGiveObjectsForThisMachine) {
  ReadAndCompile read_and_compile;
  int compiled = 0;
  for (const Sample& sample : AllSamples()) {
    const std::string bitcode =
        AssembleToBitcode(TextFor(sample, kHere), Extras::kNothing).value_or("");
    if (read_and_compile.Run(bitcode).objects > 0) ++compiled;
  }
  EXPECT_GT(2 * compiled, static_cast<int>(AllSamples().size()));
}

// Every place where a file may end.
TEST_P(DamageTest, CutShortIsInvalid) {
  for (size_t length = 0; length < bitcode_.size(); length += IsEmulated() ? 400 : 40) {
    const ReadAndCompile::Outcome outcome = read_and_compile_.Run(bitcode_.substr(0, length));
    EXPECT_FALSE(outcome.module.ok()) << length;
  }
}

std::string NameOf(const ::testing::TestParamInfo<Parameter>& info) {
  return absl::StrCat(
      std::get<Sample>(info.param).name,
      std::get<SampleTarget>(info.param) == SampleTarget::kX86_64 ? "ForX86" : "ForAArch64");
}

INSTANTIATE_TEST_SUITE_P(Samples, DamageTest,
                         ::testing::Combine(::testing::ValuesIn(AllSamples()),
                                            ::testing::Values(SampleTarget::kX86_64,
                                                              SampleTarget::kAArch64)),
                         NameOf);

}  // namespace
}  // namespace firstcall::testing

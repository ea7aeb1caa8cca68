// The programs of a few seeds. Arguments: csmith, stress or attributes, the first two perhaps with
// "decorated-" in front; the first seed; how many.

#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tests/differential/campaign.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::testing {
namespace {

class SeedTest : public ::testing::Test {
 public:
  SeedTest(const CampaignOptions& options, Source source, uint32_t seed)
      : options_(options), source_(source), seed_(seed) {}

  void TestBody() override {
#if !defined(__x86_64__)
    if (source_ == Source::kAttributes) GTEST_SKIP() << "for x86-64";
#endif
    ASSERT_OK_AND_ASSIGN(const Comparison comparison, CheckSeed(options_, source_, seed_));
    EXPECT_EQ(comparison.kind, Comparison::Kind::kFull);
    EXPECT_EQ(comparison.runs, source_ == Source::kAttributes ? 10
                               : options_.form.is_decorated   ? 14
                                                              : 17);
    for (const Mismatch& mismatch : comparison.mismatches) {
      ADD_FAILURE() << mismatch.description << "\n  repeat: bash " << mismatch.script;
    }
  }

 private:
  const CampaignOptions options_;
  const Source source_;
  const uint32_t seed_;
};

void Register(const CampaignOptions& options, Source source, uint32_t seed) {
  const std::string name = SourceName(source) + std::to_string(seed);
  ::testing::RegisterTest("SeedTest", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [=]() -> SeedTest* { return new SeedTest(options, source, seed); });
}

}  // namespace
}  // namespace firstcall::testing

int main(int argc, char** argv) {
  using namespace firstcall::testing;  // NOLINT: the names above
  ::testing::InitGoogleTest(&argc, argv);
  if (argc != 4) return 2;
  const auto tools = FindTools(argv[0]);
  if (!tools.ok()) {
    std::cerr << tools.status() << std::endl;
    return 2;
  }
  CampaignOptions options;
  options.tools = *tools;
  options.keep = ::testing::TempDir();
  options.native_limit = absl::Seconds(60);
  absl::string_view name = argv[1];
  options.form.is_decorated = absl::ConsumePrefix(&name, "decorated-");
  const Source source = name == "csmith"   ? Source::kCsmith
                        : name == "stress" ? Source::kStress
                                           : Source::kAttributes;
  const int first = std::atoi(argv[2]);
  for (int i = 0; i < std::atoi(argv[3]); ++i) Register(options, source, first + i);
  return RUN_ALL_TESTS();
}

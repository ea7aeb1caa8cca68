#include "benchmarks/startup_options.h"

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "third_party/llvm/version/version.h"

namespace firstcall::benchmarks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(StartupOptionsTest, NoArgumentsAreTheDefaults) {
  const absl::StatusOr<StartupOptions> options = ParseStartupOptions({});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->lli, llvm_version::kLli);
  EXPECT_EQ(options->runs, 5);
  EXPECT_THAT(options->filters, IsEmpty());
  EXPECT_FALSE(options->help);
}

TEST(StartupOptionsTest, EveryOptionIsTaken) {
  const absl::StatusOr<StartupOptions> options = ParseStartupOptions(
      {"--workloads=/w", "--runs=3", "--filter=a/*,b/c", "--json=j=1", "--firstcall=f", "--lli=l",
       "--instructions", "--before=b", "--option=-O2", "--option=--tier=0", "--second-start"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->workloads, "/w");
  EXPECT_EQ(options->runs, 3);
  EXPECT_THAT(options->filters, ElementsAre("a/*", "b/c"));
  EXPECT_EQ(options->json, "j=1");
  EXPECT_EQ(options->firstcall, "f");
  EXPECT_EQ(options->lli, "l");
  EXPECT_TRUE(options->counts_instructions);
  EXPECT_EQ(options->before, "b");
  EXPECT_THAT(options->firstcall_options, ElementsAre("-O2", "--tier=0"));
  EXPECT_TRUE(options->counts_second_start);
}

TEST(StartupOptionsTest, WhatIsUnknownOrMalformedIsNamed) {
  for (const char* bad : {"--runs=0", "--runs=x", "--runs", "--colour=red", "sqO2", "--lli="}) {
    const absl::Status status = ParseStartupOptions({bad}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad));
  }
}

TEST(StartupOptionsTest, FilterSelectsPairsByGlob) {
  StartupOptions options;
  EXPECT_TRUE(Selects(options, "sq", "lli orc"));
  options.filters = {"sqO2/*", "chain_*/firstcall"};
  EXPECT_TRUE(Selects(options, "sqO2", "lli mcjit -O0"));
  EXPECT_TRUE(Selects(options, "chain_100", "firstcall"));
  EXPECT_FALSE(Selects(options, "chain_100", "firstcall -O2"));
  EXPECT_FALSE(Selects(options, "sq", "firstcall"));
}

}  // namespace
}  // namespace firstcall::benchmarks

#include "benchmarks/workload.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall::benchmarks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(OthersWorkloadsTest, ReadsTheRunOfEachProgram) {
  const std::string directory = testing::TempDir() + "/with_programs";
  std::filesystem::create_directories(directory + "/others");
  std::ofstream(directory + "/others/packer.run") << "\n-c\ntwo words\n";
  std::ofstream(directory + "/others/parser.run") << "/some/input\n";
  std::ofstream(directory + "/others/parser.bc") << "";
  const absl::StatusOr<std::vector<Workload>> workloads = OthersWorkloads(directory);
  ASSERT_TRUE(workloads.ok()) << workloads.status();
  ASSERT_THAT(*workloads, SizeIs(2));
  const Workload& packer = (*workloads)[0];
  EXPECT_EQ(packer.name, "packer");
  EXPECT_EQ(packer.bitcode, directory + "/others/packer.bc");
  EXPECT_EQ(packer.native, directory + "/others/native/packer");
  EXPECT_EQ(packer.input, "/dev/null");
  EXPECT_THAT(packer.arguments, ElementsAre("-c", "two words"));
  const Workload& parser = (*workloads)[1];
  EXPECT_EQ(parser.name, "parser");
  EXPECT_EQ(parser.input, "/some/input");
  EXPECT_THAT(parser.arguments, IsEmpty());
}

TEST(OthersWorkloadsTest, SaysWhatFetchesThem) {
  const absl::Status status = OthersWorkloads(testing::TempDir() + "/without_programs").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("fetch_others.sh"));
}

}  // namespace
}  // namespace firstcall::benchmarks

// What the command's process does with memory that the program has freed. Its path and that of
// fills_and_empties.bc are the arguments.

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"

namespace firstcall {
namespace {

std::string command_path, program_path;

// The program's pages: 8 MiB, of at least 4 KiB.
constexpr int kPages = 2048;

// How many page faults the program takes if the command is run with `options`; -1 if it fails.
int Faults(const std::vector<std::string>& options) {
  std::vector<std::string> command = {command_path};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(program_path);
  const testing::ProcessResult result = testing::RunProcess(command);
  int faults = -1;
  EXPECT_TRUE(absl::SimpleAtoi(absl::StripSuffix(result.output, "\n"), &faults)) << result;
  return faults;
}

int FaultsWith(const char* variable, const char* value) {
  setenv(variable, value, /*replace=*/1);
  const int faults = Faults({"--no-object-cache"});
  unsetenv(variable);
  return faults;
}

TEST(FreedMemoryTest, IsKeptForTheNextAllocations) {
  EXPECT_LT(Faults({"--no-object-cache"}), 4 * kPages);
}

TEST(FreedMemoryTest, IsKeptWhereTheCodeComesFromACache) {
  const std::string cache = "--object-cache-dir=" + ::testing::TempDir() + "/cache";
  EXPECT_LT(Faults({cache}), 4 * kPages);
  EXPECT_LT(Faults({cache}), 4 * kPages);
}

TEST(FreedMemoryTest, IsGivenBackIfTheUserWantsIt) {
  constexpr int kMany = 32 * kPages;
  EXPECT_GT(FaultsWith("MALLOC_TRIM_THRESHOLD_", "131072"), kMany);
  EXPECT_GT(FaultsWith("GLIBC_TUNABLES", "glibc.malloc.trim_threshold=131072"), kMany);
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  firstcall::command_path = argv[1];
  firstcall::program_path = argv[2];
  return RUN_ALL_TESTS();
}

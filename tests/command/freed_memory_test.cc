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

// How many times the program's heap becomes smaller if the command is run with `options`; -1 if it
// fails.
int TimesGivenBack(const std::vector<std::string>& options) {
  std::vector<std::string> command = {command_path};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(program_path);
  const testing::ProcessResult result = testing::RunProcess(command);
  int times = -1;
  EXPECT_TRUE(absl::SimpleAtoi(absl::StripSuffix(result.output, "\n"), &times)) << result;
  return times;
}

int TimesGivenBackWith(const char* variable, const char* value) {
  setenv(variable, value, /*replace=*/1);
  const int times = TimesGivenBack({"--no-object-cache"});
  unsetenv(variable);
  return times;
}

TEST(FreedMemoryTest, IsKeptForTheNextAllocations) {
  EXPECT_EQ(TimesGivenBack({"--no-object-cache"}), 0);
}

TEST(FreedMemoryTest, IsKeptWhereTheCodeComesFromACache) {
  const std::string cache = "--object-cache-dir=" + ::testing::TempDir() + "/cache";
  EXPECT_EQ(TimesGivenBack({cache}), 0);
  EXPECT_EQ(TimesGivenBack({cache}), 0);
}

TEST(FreedMemoryTest, IsGivenBackIfTheUserWantsIt) {
  EXPECT_GT(TimesGivenBackWith("MALLOC_TRIM_THRESHOLD_", "131072"), 32);
  EXPECT_GT(TimesGivenBackWith("GLIBC_TUNABLES", "glibc.malloc.trim_threshold=131072"), 32);
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  firstcall::command_path = argv[1];
  firstcall::program_path = argv[2];
  return RUN_ALL_TESTS();
}

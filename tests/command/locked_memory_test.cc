// Programs that lock their memory: what the command does not use does not become resident, and if
// no more memory may be locked, the command says so.
//
//   locked_memory_test COMMAND PROGRAM static|shared
//
// The last argument says how LLVM is linked.

#include <cstdio>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string command_path, program_path;
bool is_llvm_shared = false;

testing::ProcessResult RunWith(const std::vector<std::string>& options,
                               const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {command_path};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(program_path);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return testing::RunProcess(command, "");
}

class LockedMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (IsEmulated()) GTEST_SKIP() << "the emulator would lock its own memory";
    if (kSanitizerTakesMemory) GTEST_SKIP() << "the sanitizer's memory would be locked, too";
  }
};

// The second start with a cache compiles nothing, so it has no LLVM, all of which is locked
// otherwise, unless LLVM is a shared library, which is always there.
TEST_F(LockedMemoryTest, OnlyWhatIsInUseBecomesResident) {
  const std::string cache = "--object-cache-dir=" + ::testing::TempDir() + "/locked";
  struct Start {
    std::vector<std::string> options;
    long most_mib;
  };
  for (const auto& [options, most_mib] : {Start{{"--no-object-cache"}, 400}, Start{{cache}, 400},
                                          Start{{cache}, is_llvm_shared ? 400 : 64}}) {
    const testing::ProcessResult result = RunWith(options, {"all"});
    ASSERT_EQ(result.exit_status, 0) << result;
    int locked = -1;
    long before = 0, after = 0;
    ASSERT_EQ(std::sscanf(result.output.c_str(), "%d %*d %ld %ld", &locked, &before, &after), 3)
        << result;
    if (locked != 0) GTEST_SKIP() << "this process may not lock so much memory";
    EXPECT_LT(before, most_mib << 10) << result;
    EXPECT_LT(after, most_mib << 10) << result;
  }
}

TEST_F(LockedMemoryTest, WhatIsMappedLaterMayBeLockedToo) {
  const testing::ProcessResult result = RunWith({"--no-object-cache"}, {"future", "8192"});
  if (result.exit_status == 9) GTEST_SKIP() << "this process may not choose its limit";
  ASSERT_EQ(result.exit_status, 0) << result;
  if (result.output[0] == '-') GTEST_SKIP() << "this process may not lock so much memory";
  EXPECT_THAT(result.output, StartsWith("0 157")) << result;
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  firstcall::command_path = argv[1];
  firstcall::program_path = argv[2];
  firstcall::is_llvm_shared = std::string(argv[3]) == "shared";
  return RUN_ALL_TESTS();
}

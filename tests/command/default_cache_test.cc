// Where the command keeps what it compiles when no option says it.

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"

namespace firstcall {
namespace {

using ::testing::ContainsRegex;
using ::testing::IsEmpty;

std::string command;

class DefaultCacheTest : public ::testing::Test {
 protected:
  DefaultCacheTest()
      : home_(::testing::TempDir() + "/" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name()),
        program_(::testing::TempDir() + "/program.ll") {
    std::filesystem::remove_all(home_);
    std::filesystem::create_directories(home_);
    std::ofstream(program_) << "define i32 @main() { ret i32 3 }";
  }

  // Runs the program in an environment of `variables` alone; returns what it says on standard
  // error.
  std::string Run(const std::vector<std::string>& variables,
                  const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"/usr/bin/env", "-i"};
    arguments.insert(arguments.end(), variables.begin(), variables.end());
    if (const char* emulator = std::getenv("FIRSTCALL_EMULATE")) arguments.push_back(emulator);
    arguments.insert(arguments.end(), {command, "--stats"});
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(program_);
    const testing::ProcessResult result = testing::RunProcess(arguments);
    EXPECT_EQ(result.exit_status, 3) << result.errors;
    return result.errors;
  }
  static std::vector<std::string> FilesIn(const std::string& directory) {
    std::vector<std::string> files;
    if (!std::filesystem::exists(directory)) return files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (entry.path().extension() == ".pack") files.push_back(entry.path().string());
    }
    return files;
  }
  static ::testing::Matcher<std::string> Compiled(int count) {
    return ContainsRegex("functions compiled +" + std::to_string(count) + " ");
  }

  const std::string home_, program_;
};

TEST_F(DefaultCacheTest, IsInTheHomeDirectory) {
  EXPECT_THAT(Run({"HOME=" + home_}), Compiled(1));
  EXPECT_EQ(FilesIn(home_ + "/.cache/firstcall").size(), 1u);
  struct stat status;
  ASSERT_EQ(stat((home_ + "/.cache/firstcall").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  EXPECT_THAT(Run({"HOME=" + home_}), Compiled(0));
}

TEST_F(DefaultCacheTest, FollowsTheVariables) {
  const std::string other = home_ + "/other", chosen = home_ + "/chosen";
  EXPECT_THAT(Run({"HOME=" + home_, "XDG_CACHE_HOME=" + other}), Compiled(1));
  EXPECT_EQ(FilesIn(other + "/firstcall").size(), 1u);
  EXPECT_THAT(Run({"HOME=" + home_, "XDG_CACHE_HOME=" + other, "FIRSTCALL_CACHE=" + chosen}),
              Compiled(1));
  EXPECT_EQ(FilesIn(chosen).size(), 1u);
  // Only absolute paths count.
  EXPECT_THAT(Run({"HOME=" + home_, "XDG_CACHE_HOME=relative"}), Compiled(1));
  EXPECT_EQ(FilesIn(home_ + "/.cache").size(), 1u);
}

TEST_F(DefaultCacheTest, IsNoneWhenSwitchedOff) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Run({"HOME=" + home_, "FIRSTCALL_CACHE=off"}), Compiled(1));
    EXPECT_THAT(Run({"HOME=" + home_}, {"--no-object-cache"}), Compiled(1));
  }
  EXPECT_THAT(FilesIn(home_), IsEmpty());
}

// A line on standard error would be no line of the statistics.
TEST_F(DefaultCacheTest, IsSilentlyNoneWhereItCannotBe) {
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find(' ')); };
  EXPECT_EQ(first_line(Run({})), "source");
  EXPECT_EQ(first_line(Run({"HOME=relative"})), "source");
  EXPECT_EQ(first_line(Run({"HOME=/proc/no/such/home"})), "source");
  std::ofstream(home_ + "/file") << "not a directory";
  EXPECT_EQ(first_line(Run({"HOME=" + home_, "XDG_CACHE_HOME=" + home_ + "/file"})), "source");
  // Others may write to it.
  std::filesystem::create_directories(home_ + "/.cache/firstcall");
  ASSERT_EQ(chmod((home_ + "/.cache/firstcall").c_str(), 0777), 0);
  EXPECT_EQ(first_line(Run({"HOME=" + home_})), "source");
  EXPECT_THAT(FilesIn(home_), IsEmpty());
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  if (argc < 2) return EXIT_FAILURE;
  firstcall::command = argv[1];
  return RUN_ALL_TESTS();
}

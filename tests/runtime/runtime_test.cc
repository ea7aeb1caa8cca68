// The runtime half alone, in a program that is not linked with LLVM: it runs from a cache what the
// command has compiled. (tests/api tests the class through Engine.)

#include <cstdlib>
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string command, from_cache, program;
bool needs_no_llvm = false;

TEST(RuntimeTest, RunsAProgramFromACacheWithoutACompiler) {
  const std::string directory = ::testing::TempDir() + "/cache";
  std::filesystem::remove_all(directory);
  const testing::ProcessResult compiled =
      testing::RunProcess({command, "--object-cache-dir=" + directory, program, "argument"});
  ASSERT_EQ(compiled.exit_status, 7) << compiled.errors;
  EXPECT_THAT(compiled.output, HasSubstr("constructed argument\nzero one three four many"));
  EXPECT_THAT(compiled.output, HasSubstr("negative\n9.50\nat exit\ndestroyed"));
  EXPECT_EQ(testing::RunProcess({from_cache, directory, "argument"}), compiled);
}

TEST(RuntimeTest, NeedsNothingOfLlvm) {
  if (!needs_no_llvm) GTEST_SKIP() << "here the hashes come from LLVM's shared library";
  const testing::ProcessResult undefined = testing::RunProcess({"/usr/bin/nm", "-u", from_cache});
  ASSERT_EQ(undefined.exit_status, 0) << undefined.errors;
  EXPECT_THAT(undefined.output, HasSubstr("dlsym"));
  EXPECT_THAT(undefined.output, Not(HasSubstr("llvm")));
  const testing::ProcessResult needed = testing::RunProcess({"/usr/bin/readelf", "-d", from_cache});
  EXPECT_THAT(needed.output, HasSubstr("libc.so"));
  EXPECT_THAT(needed.output, Not(HasSubstr("LLVM")));
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc < 5) return EXIT_FAILURE;
  firstcall::command = argv[1];
  firstcall::from_cache = argv[2];
  firstcall::program = argv[3];
  firstcall::needs_no_llvm = std::string(argv[4]) == "static";
  return RUN_ALL_TESTS();
}

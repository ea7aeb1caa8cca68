// --dlopen: the command starts once more, with the libraries in front of its own, and neither the
// program nor its libraries notice.
//
//   preload_test COMMAND PROGRAM LIBRARY static|shared
//
// The last argument says how LLVM is linked.

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

std::string command, program, library;
// The command has LLVM from the beginning.
bool is_one_program = false;

class PreloadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (IsEmulated()) GTEST_SKIP() << "the emulator does not start processes";
  }

  static testing::ProcessResult Run(
      std::vector<std::string> options, const std::function<void()>& prepare = [] {}) {
    options.insert(options.begin(), command);
    options.insert(options.end(), {program, "one", "two words", ""});
    return testing::RunProcess(options, "", [&] {
      unsetenv("FIRSTCALL_CACHE");
      prepare();
    });
  }
};

constexpr char kExpected[] =
    "library: 4 'one' 'two words' ''; preloaded: nothing\n"
    "program uses_given_library: 4 'one' 'two words' ''; preloaded: nothing\n"
    "child: nothing\n";

TEST_F(PreloadTest, TheProcessIsTheProgramsForItAndItsLibraries) {
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {}, {"--mode=eager"}, {"--isolate"}, {"--dlopen=libm.so.6"}, {"--compile-threads=1"}}) {
    std::vector<std::string> all = {"--no-object-cache", "--dlopen=" + library};
    all.insert(all.end(), options.begin(), options.end());
    const testing::ProcessResult result = Run(all);
    EXPECT_EQ(result.exit_status, 7) << result.errors;
    EXPECT_EQ(result.output, kExpected);
    EXPECT_EQ(result.errors, "");
  }
}

TEST_F(PreloadTest, ASecondStartIsTheSame) {
  const std::string directory = ::testing::TempDir() + "/second";
  std::filesystem::remove_all(directory);
  for (int i = 0; i < 2; ++i) {
    const testing::ProcessResult result =
        Run({"--object-cache-dir=" + directory, "--dlopen=" + library, "--stats"});
    EXPECT_EQ(result.exit_status, 7) << result.errors;
    EXPECT_EQ(result.output, kExpected);
    EXPECT_THAT(result.errors,
                HasSubstr(is_one_program ? "compiler made for   nothing\n"
                                         : "compiler made for   running with libraries\n"));
  }
}

TEST_F(PreloadTest, WhatWasPreloadedBeforeStays) {
  const testing::ProcessResult result = Run({"--no-object-cache", "--dlopen=" + library},
                                            [] { setenv("LD_PRELOAD", "libdl.so.2", 1); });
  EXPECT_EQ(result.exit_status, 7) << result.errors;
  EXPECT_EQ(result.output,
            "library: 4 'one' 'two words' ''; preloaded: libdl.so.2\n"
            "program uses_given_library: 4 'one' 'two words' ''; preloaded: libdl.so.2\n"
            "child: libdl.so.2\n");
}

TEST_F(PreloadTest, AMarkThatIsNotForThisProcessIsDropped) {
  const testing::ProcessResult result = Run({"--no-object-cache", "--dlopen=" + library}, [] {
    setenv("FIRSTCALL_PRELOADED_IN", "1", 1);
    setenv("FIRSTCALL_ARGUMENT", "--no-such-option", 1);
  });
  EXPECT_EQ(result.exit_status, 7) << result.errors;
  EXPECT_EQ(result.output, kExpected);
}

// LD_PRELOAD cannot name it.
TEST_F(PreloadTest, ALibraryWithASpaceInItsNameIsLoadedToo) {
  const std::string copy = ::testing::TempDir() + "/a library.so";
  std::filesystem::copy_file(library, copy, std::filesystem::copy_options::overwrite_existing);
  const testing::ProcessResult result = Run({"--no-object-cache", "--dlopen=" + copy});
  EXPECT_EQ(result.exit_status, 7) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("program uses_given_library: 4 'one'"));
}

TEST_F(PreloadTest, OneThatDoesNotExistIsAnError) {
  for (const std::string missing : {"libno_such.so", "/no/such/libno_such.so"}) {
    const testing::ProcessResult result =
        Run({"--no-object-cache", "--dlopen=" + library, "--dlopen=" + missing});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.output, ::testing::Not(HasSubstr("program")));
    EXPECT_THAT(result.errors, HasSubstr("firstcall: loading library '" + missing + "': "));
  }
}

TEST_F(PreloadTest, AnErrorOfTheProgramIsTheSame) {
  const testing::ProcessResult result =
      testing::RunProcess({command, "--dlopen=" + library, "--entry-function=none", program});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.errors, "firstcall: no module defines the entry function 'none'\n");
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc != 5) return 2;
  firstcall::command = argv[1];
  firstcall::program = argv[2];
  firstcall::library = argv[3];
  firstcall::is_one_program = std::string(argv[4]) == "shared";
  return RUN_ALL_TESTS();
}

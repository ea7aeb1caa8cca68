// Embedders without LLVM, in C++ and in C: each is a process of its own (embedder.cc), and must
// have LLVM only when something has to be compiled.

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

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string embedder, c_embedder, compiler, compiler_of_another_build;
// What is mapped when nothing was loaded.
std::string not_mapped = "not mapped";

constexpr char kProgram[] = R"(
  define i32 @square(i32 %x) {
    %1 = mul i32 %x, %x
    ret i32 %1
  }
  define i32 @cube(i32 %x) {
    %1 = call i32 @square(i32 %x)
    %2 = mul i32 %1, %x
    ret i32 %2
  }
  define i64 @first_of_two(i32 %x) {
    ret i64 ptrtoint (ptr blockaddress(@second_of_two, %label) to i64)
  }
  define i32 @second_of_two(i32 %x) {
    br label %label
  label:
    %1 = call i64 @first_of_two(i32 0)
    %2 = icmp ne i64 %1, 0
    %3 = zext i1 %2 to i32
    %4 = add i32 %x, %3
    ret i32 %4
  })";

class LoadedCompilerTest : public ::testing::Test {
 protected:
  LoadedCompilerTest()
      : directory_(::testing::TempDir() + "/" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name()),
        program_(::testing::TempDir() + "/program.ll") {
    std::filesystem::remove_all(directory_);
    std::ofstream(program_) << kProgram;
  }

  std::string Run(const std::string& function, const std::string& library = compiler,
                  const std::string& command = embedder) {
    return RunCommand({command, directory_, library, program_, function});
  }

  static std::string RunCommand(const std::vector<std::string>& command) {
    const testing::ProcessResult result = testing::RunProcess(command);
    EXPECT_EQ(result.errors, "");
    return result.output;
  }

  const std::string directory_, program_;
};

TEST_F(LoadedCompilerTest, IsLoadedForWhatTheCacheLacks) {
  EXPECT_EQ(Run("square"), "36, mapped: reading '" + program_ + "': a module given as text\n");
  EXPECT_EQ(Run("square"), "36, " + not_mapped + ": \n");
  EXPECT_EQ(Run("cube"), "216, mapped: compiling 'cube' of '" + program_ + "'\n");
  EXPECT_EQ(Run("cube"), "216, " + not_mapped + ": \n");
}

TEST_F(LoadedCompilerTest, IsLoadedFromCInTheSameWay) {
  EXPECT_EQ(Run("square", compiler, c_embedder), "36, mapped: 1\n");
  EXPECT_EQ(Run("square", compiler, c_embedder), "36, " + not_mapped + ": 0\n");
  EXPECT_EQ(Run("cube", compiler, c_embedder), "216, mapped: 1\n");
}

// Which functions are inseparable is found out by one half, and asked by the other.
TEST_F(LoadedCompilerTest, BothHalvesKnowWhatIsInseparable) {
  EXPECT_EQ(Run("second_of_two"),
            "7, mapped: reading '" + program_ + "': a module given as text\n");
  EXPECT_EQ(Run("second_of_two"), "7, " + not_mapped + ": \n");
}

// MCJIT links in the library, with names and addresses of the program's.
TEST_F(LoadedCompilerTest, McjitLinksForBothHalves) {
  const auto run = [&](const std::string& function) {
    return RunCommand({embedder, directory_, compiler, program_, function, "mcjit"});
  };
  EXPECT_THAT(run("cube"), StartsWith("216, mapped: "));
  EXPECT_THAT(run("cube"), StartsWith("216, mapped: "));
  EXPECT_THAT(run("second_of_two"), StartsWith("7, mapped: "));
}

TEST_F(LoadedCompilerTest, AMissingLibraryIsAStatus) {
  EXPECT_THAT(Run("square", "/no/such/library.so"),
              AllOf(StartsWith("UNAVAILABLE: "), HasSubstr("/no/such/library.so")));
  EXPECT_THAT(Run("square", "/no/such/library.so", c_embedder),
              AllOf(StartsWith("14: "), HasSubstr("/no/such/library.so")));
}

TEST_F(LoadedCompilerTest, ALibraryThatIsNoCompilerIsAStatus) {
  EXPECT_THAT(Run("square", "libm.so.6"),
              AllOf(StartsWith("UNAVAILABLE: "), HasSubstr("firstcall_compiler_library")));
}

TEST_F(LoadedCompilerTest, ALibraryOfAnotherBuildIsAStatus) {
  EXPECT_THAT(
      Run("square", compiler_of_another_build),
      AllOf(StartsWith("UNAVAILABLE: "), HasSubstr("another_build.so' is of another build")));
}

TEST_F(LoadedCompilerTest, InvalidModulesAreTheCompilersErrors) {
  std::ofstream(program_) << "define nonsense";
  EXPECT_THAT(Run("square"), AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("program.ll:1:8")));
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  if (argc < 5) return EXIT_FAILURE;
  firstcall::embedder = argv[1];
  firstcall::c_embedder = argv[2];
  firstcall::compiler = std::filesystem::absolute(argv[3]).string();
  firstcall::compiler_of_another_build = std::filesystem::absolute(argv[4]).string();
  if (argc > 5 && std::string(argv[5]) == "shared") firstcall::not_mapped = "mapped";
  return RUN_ALL_TESTS();
}

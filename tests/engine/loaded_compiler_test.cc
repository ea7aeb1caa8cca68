// Embedders without LLVM, in C++ and in C: each is a process of its own (embedder.cc), and must
// have LLVM only when something has to be compiled.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

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
    const testing::ProcessResult result =
        testing::RunProcess({command, directory_, library, program_, function});
    EXPECT_EQ(result.errors, "");
    return result.output;
  }

  const std::string directory_, program_;
};

TEST_F(LoadedCompilerTest, IsLoadedForWhatTheCacheLacks) {
  EXPECT_EQ(Run("square"), "36, mapped: reading '" + program_ + "'\n");
  EXPECT_EQ(Run("square"), "36, " + not_mapped + ": \n");
  EXPECT_EQ(Run("cube"), "216, mapped: compiling 'cube' of '" + program_ + "'\n");
  EXPECT_EQ(Run("cube"), "216, " + not_mapped + ": \n");
}

TEST_F(LoadedCompilerTest, IsLoadedFromCInTheSameWay) {
  EXPECT_EQ(Run("square", compiler, c_embedder), "36, mapped: 1\n");
  EXPECT_EQ(Run("square", compiler, c_embedder), "36, " + not_mapped + ": 0\n");
  EXPECT_EQ(Run("cube", compiler, c_embedder), "216, mapped: 1\n");
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

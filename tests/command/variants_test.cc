// The command's two programs: what is in the cache runs without LLVM, and whatever is not there
// brings it in.

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

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// An option of LLVM's code generator, with which nothing is compiled without LLVM.
constexpr char kOnlyLlvm[] = "--tail-dup-size=3";

std::string command, program, archive, described_program;
bool has_two_programs = false;

class VariantsTest : public ::testing::Test {
 protected:
  VariantsTest()
      : directory_(::testing::TempDir() + "/" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(directory_);
  }

  void SetUp() override {
    if (!has_two_programs) GTEST_SKIP() << "here the command is one program";
  }

  testing::ProcessResult Run(std::vector<std::string> options,
                             const std::vector<std::string>& arguments = {}) {
    options.insert(options.begin(), {command, "--object-cache-dir=" + directory_, "--stats"});
    options.push_back(program_);
    options.insert(options.end(), arguments.begin(), arguments.end());
    return testing::RunProcess(options);
  }

  // The program prints the files that are mapped into its process. A process that has become the
  // program with LLVM has its name there; libraries of LLVM have LLVM in theirs.
  static ::testing::Matcher<const testing::ProcessResult&> WithoutLlvm() {
    return AllOf(::testing::Field(&testing::ProcessResult::exit_status, 0),
                 ::testing::Field(&testing::ProcessResult::output,
                                  AllOf(HasSubstr("/firstcall\n"), HasSubstr("done\n"),
                                        Not(HasSubstr("firstcall-llvm")), Not(HasSubstr("LLVM")),
                                        Not(HasSubstr("libfirstcall_compiler")))),
                 ::testing::Field(&testing::ProcessResult::errors,
                                  HasSubstr("compiler made for   nothing\n")));
  }

  const std::string directory_;
  std::string program_ = program;
};

TEST_F(VariantsTest, ASecondStartHasNoLlvm) {
  const testing::ProcessResult first = Run({kOnlyLlvm});
  EXPECT_EQ(first.exit_status, 0) << first.errors;
  EXPECT_THAT(first.output, AllOf(HasSubstr("/firstcall-llvm\n"), HasSubstr("done\n")));
  EXPECT_THAT(first.errors, HasSubstr("compiler made for   reading '" + program + "'\n"));
  EXPECT_THAT(Run({kOnlyLlvm}), WithoutLlvm());
}

TEST_F(VariantsTest, NorHasAFirstStartThatIsCovered) {
  EXPECT_THAT(Run({"--no-object-cache"}), WithoutLlvm());
  EXPECT_THAT(Run({}), WithoutLlvm());
  EXPECT_THAT(Run({}), WithoutLlvm());
}

TEST_F(VariantsTest, NorHasOneOfAProgramWithDebugInformation) {
  program_ = described_program;
  EXPECT_THAT(Run({"--no-object-cache"}), WithoutLlvm());
  EXPECT_THAT(Run({"--no-object-cache", "--debug-info=never"}), WithoutLlvm());
  EXPECT_THAT(Run({}), WithoutLlvm());
}

// What the cache has without it is of no use then.
TEST_F(VariantsTest, DebugInformationThatIsAskedForIsLlvms) {
  program_ = described_program;
  EXPECT_EQ(Run({}).exit_status, 0);
  const testing::ProcessResult first = Run({"--debug-info=always"});
  EXPECT_EQ(first.exit_status, 0) << first.errors;
  EXPECT_THAT(first.errors, AllOf(HasSubstr("compiler made for   compiling "),
                                  HasSubstr("': debug information\n")));
  EXPECT_THAT(Run({"--debug-info=always"}), WithoutLlvm());
}

TEST_F(VariantsTest, WhatADebuggerWouldSeeIsPrintedWithDebugInformation) {
  program_ = described_program;
  EXPECT_THAT(Run({"--no-object-cache", "--orc-lazy-debug=jit-debug-objects"}).output,
              HasSubstr(".debug_info"));
  EXPECT_THAT(
      Run({"--no-object-cache", "--orc-lazy-debug=jit-debug-objects", "--debug-info=never"}).output,
      Not(HasSubstr(".debug_info")));
}

TEST_F(VariantsTest, SoHasOneWithTheSameOptions) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--tier=0"},
                                             {"--mode=eager"},
                                             {"-O2"},
                                             {"--tail-dup-size=3"},
                                             {"--code-model=small", "--fast-isel=false"},
                                             {"--extra-archive=" + archive},
                                             {"--compile-threads=1"}}) {
    EXPECT_EQ(Run(options).exit_status, 0);
    EXPECT_THAT(Run(options), WithoutLlvm()) << options.front();
  }
}

// The value could be the program, which only LLVM's parser knows.
TEST_F(VariantsTest, AnOptionWhoseValueIsTheNextArgumentMeansTheSame) {
  for (int i = 0; i < 2; ++i) {
    const testing::ProcessResult result = Run({"--tail-dup-size", "3"});
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("done\n"));
  }
}

// `other` was not called in the first run.
TEST_F(VariantsTest, WhatTheCacheLacksIsCompiledWhileTheProgramRuns) {
  EXPECT_EQ(Run({kOnlyLlvm}).exit_status, 0);
  const testing::ProcessResult more = Run({kOnlyLlvm}, {"other"});
  EXPECT_EQ(more.exit_status, 7) << more.errors;
  EXPECT_THAT(more.output, AllOf(HasSubstr("/firstcall\n"), Not(HasSubstr("firstcall-llvm")),
                                 HasSubstr("caught 3\nother\ndone\n")));
  EXPECT_THAT(more.errors, HasSubstr("compiler made for   compiling 'other' of '" + program));
  const testing::ProcessResult again = Run({kOnlyLlvm}, {"other"});
  EXPECT_EQ(again.exit_status, 7);
  EXPECT_THAT(again.errors, HasSubstr("compiler made for   nothing\n"));
}

TEST_F(VariantsTest, ErrorsAreThoseOfTheProgramWithLlvm) {
  EXPECT_THAT(Run({"--no-such-option"}).errors, HasSubstr("Unknown command line argument"));
  EXPECT_EQ(Run({"--no-such-option"}).exit_status, 1);
  EXPECT_THAT(Run({"--mcpu=no-such-cpu", "--mtriple=mips"}).errors,
              HasSubstr("is not what this process can run"));
  EXPECT_THAT(testing::RunProcess({command, "--help"}).output, HasSubstr("USAGE: firstcall"));
}

// Both programs would: the first one becomes the other for want of the entry function's code.
TEST_F(VariantsTest, AFileThatCannotBeWrittenIsOneWarning) {
  EXPECT_EQ(Run({}).exit_status, 0);
  const testing::ProcessResult result = Run({"--trace=/no/such/trace", "--entry-function=other"});
  EXPECT_THAT(result.errors, HasSubstr("cannot write '/no/such/trace'"));
  EXPECT_EQ(result.errors.find("cannot write"), result.errors.rfind("cannot write"))
      << result.errors;
}

// argv[0] is no path then.
TEST_F(VariantsTest, IsFoundInThePath) {
  const std::string path =
      std::filesystem::canonical(command).parent_path().string() + ":/usr/bin:/bin";
  const testing::ProcessResult result =
      testing::RunProcess({"/usr/bin/env", "-C", "/", "PATH=" + path, "firstcall",
                           std::filesystem::canonical(program).string()});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("done\n"));
}

TEST_F(VariantsTest, StandardInputIsRead) {
  const testing::ProcessResult result = testing::RunProcess(
      {command, "--object-cache-dir=" + directory_, "-"}, "define i32 @main() { ret i32 5 }");
  EXPECT_EQ(result.exit_status, 5) << result.errors;
}

// A copy of the command alone.
TEST_F(VariantsTest, AMissingProgramIsALine) {
  std::filesystem::create_directories(directory_);
  const std::string directory = std::filesystem::canonical(directory_).string();
  std::filesystem::copy_file(std::filesystem::canonical(command), directory + "/alone");
  const testing::ProcessResult result =
      testing::RunProcess({directory + "/alone", kOnlyLlvm, "--no-object-cache", program});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.errors,
            "firstcall: running '" + directory + "/firstcall-llvm': No such file or directory\n");
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  if (argc < 6) return EXIT_FAILURE;
  firstcall::command = argv[1];
  firstcall::program = argv[2];
  firstcall::archive = argv[3];
  firstcall::described_program = argv[4];
  firstcall::has_two_programs = std::string(argv[5]) == "static";
  return RUN_ALL_TESTS();
}

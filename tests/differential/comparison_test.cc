// The comparison itself, with shell scripts as the executables and as firstcall.

#include "tests/differential/comparison.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tools/measure/process_run.h"

namespace firstcall::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ComparisonTest : public ::testing::Test {
 protected:
  ComparisonTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    program_.directory = ::testing::TempDir() + "/" + test->name();
    std::filesystem::create_directory(program_.directory);
    program_.natives = {"native-O0", "native-O2"};
    program_.variants = {{"O0.bc", {"--mode=eager"}, 0}, {"O2.bc", {}, 1}};
    program_.arguments = {"1"};
  }

  std::string WriteScript(const std::string& name, const std::string& commands) {
    const std::string path = program_.directory + "/" + name;
    std::ofstream(path) << "#!/bin/bash\n" << commands << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  // Both executables do what `native` says.
  absl::StatusOr<Comparison> CompareScripts(const std::string& native,
                                            const std::string& firstcall) {
    WriteScript("native-O0", native);
    WriteScript("native-O2", native);
    return Compare(program_, WriteScript("firstcall", firstcall), absl::Seconds(30));
  }

  Program program_;
};

TEST_F(ComparisonTest, FindsSameBehaviorTheSame) {
  ASSERT_OK_AND_ASSIGN(const Comparison comparison,
                       CompareScripts("echo $1; exit 3", "echo ${@: -1}; exit 3"));
  EXPECT_EQ(comparison.kind, Comparison::Kind::kFull);
  EXPECT_EQ(comparison.runs, 2);
  EXPECT_THAT(comparison.mismatches, IsEmpty());
}

TEST_F(ComparisonTest, PassesOptionsModuleAndArguments) {
  ASSERT_OK_AND_ASSIGN(const Comparison comparison,
                       CompareScripts("echo $1",
                                      "[[ $1 == --mode=eager ]] && shift\n"
                                      "[[ $# == 2 && $1 == */O?.bc ]] && echo $2"));
  EXPECT_THAT(comparison.mismatches, IsEmpty());
}

TEST_F(ComparisonTest, SeesOtherOutput) {
  ASSERT_OK_AND_ASSIGN(const Comparison comparison, CompareScripts("echo right", "echo wrong"));
  ASSERT_THAT(comparison.mismatches, SizeIs(2));
  EXPECT_EQ(comparison.mismatches[0].description,
            "--mode=eager O0.bc: native exit status 0, firstcall exit status 0, other output");
}

TEST_F(ComparisonTest, SeesOneWrongVariant) {
  ASSERT_OK_AND_ASSIGN(const Comparison comparison,
                       CompareScripts("echo right", "[[ $1 == --* ]] && echo right"));
  ASSERT_THAT(comparison.mismatches, SizeIs(1));
  EXPECT_EQ(comparison.mismatches[0].variant.module, "O2.bc");
}

TEST_F(ComparisonTest, SeesOtherExitStatus) {
  ASSERT_OK_AND_ASSIGN(const Comparison comparison, CompareScripts("exit 1", "exit 2"));
  ASSERT_THAT(comparison.mismatches, SizeIs(2));
  EXPECT_THAT(comparison.mismatches[1].description,
              HasSubstr("native exit status 1, firstcall exit status 2, same output"));
}

TEST_F(ComparisonTest, SeesOtherSignal) {
  ASSERT_OK_AND_ASSIGN(const Comparison comparison,
                       CompareScripts("kill -ABRT $$", "kill -SEGV $$"));
  ASSERT_THAT(comparison.mismatches, SizeIs(2));
  EXPECT_THAT(comparison.mismatches[0].description,
              HasSubstr("native signal 6, firstcall signal 11"));
}

TEST_F(ComparisonTest, SkipsWhatIsNativelyTooSlow) {
  WriteScript("native-O0", "sleep 60");
  ASSERT_OK_AND_ASSIGN(
      const Comparison comparison,
      Compare(program_, WriteScript("firstcall", "exit 1"), absl::Milliseconds(50)));
  EXPECT_EQ(comparison.kind, Comparison::Kind::kTooSlow);
  EXPECT_EQ(comparison.runs, 0);
}

TEST_F(ComparisonTest, WantsOnlyAnEndWhereExecutablesDisagree) {
  WriteScript("native-O0", "echo 1");
  WriteScript("native-O2", "echo 2");
  ASSERT_OK_AND_ASSIGN(
      Comparison comparison,
      Compare(program_, WriteScript("firstcall", "echo 3; exit 4"), absl::Seconds(30)));
  EXPECT_EQ(comparison.kind, Comparison::Kind::kEndOnly);
  EXPECT_THAT(comparison.mismatches, IsEmpty());
  for (const char* failure : {"kill -SEGV $$", "exit 70"}) {
    ASSERT_OK_AND_ASSIGN(comparison,
                         Compare(program_, WriteScript("firstcall", failure), absl::Seconds(30)));
    EXPECT_THAT(comparison.mismatches, SizeIs(2)) << failure;
  }
}

TEST_F(ComparisonTest, ScriptOfAMismatchShowsIt) {
  ASSERT_OK_AND_ASSIGN(const Comparison comparison,
                       CompareScripts("echo right", "echo wrong; exit 5"));
  ASSERT_THAT(comparison.mismatches, SizeIs(2));
  ASSERT_OK_AND_ASSIGN(
      const auto run,
      measure::RunProcess({"bash", comparison.mismatches[0].script}, absl::Seconds(30)));
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.output, "1,2c1,2\n< right\n< exit status 0\n---\n> wrong\n> exit status 5\n");
}

}  // namespace
}  // namespace firstcall::testing

// The script `reduce`, on the mismatch of a firstcall that is wrong about one function.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/differential/comparison.h"
#include "tests/testing/host.h"
#include "tests/testing/status_matchers.h"
#include "tools/cpp/runfiles/runfiles.h"
#include "tools/measure/process_run.h"

namespace firstcall::testing {
namespace {

using ::bazel::tools::cpp::runfiles::Runfiles;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kModule[] = R"(
@hay = constant [4 x i8] c"hay\00"
@needle = constant [7 x i8] c"needle\00"
declare i32 @puts(ptr)
define i32 @bystander(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}
define void @show(ptr %text) {
  %1 = call i32 @puts(ptr %text)
  ret void
}
define i32 @main() {
  call void @show(ptr @hay)
  call void @show(ptr @needle)
  %1 = call i32 @bystander(i32 4)
  %2 = sub i32 %1, 12
  ret i32 %2
})";

std::string Locate(const std::string& name) {
  std::string error;
  const std::unique_ptr<Runfiles> runfiles(Runfiles::CreateForTest(&error));
  EXPECT_NE(runfiles, nullptr) << error;
  return std::filesystem::absolute(runfiles->Rlocation(name));
}

int ExitStatusOf(const std::vector<std::string>& command) {
  const auto run = measure::RunProcess(command, absl::Minutes(4));
  EXPECT_THAT(run, IsOk());
  return run.ok() && run->end == measure::ProcessRun::End::kExited ? run->code : -1;
}

std::string Read(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class ReduceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    program_.directory = ::testing::TempDir();
    program_.natives = {"native", "native"};
    program_.variants = {{"module.ll", {}, 0}};
    setenv("LLVM_BIN", std::filesystem::path(clang_).parent_path().c_str(), 1);
    std::ofstream(Path("module.ll")) << kModule;
    ASSERT_EQ(
        ExitStatusOf({clang_, "-w", ClangTargetOption(), Path("module.ll"), "-o", Path("native")}),
        0);
  }

  static std::string Path(const std::string& name) { return ::testing::TempDir() + "/" + name; }

  const std::string clang_ = Locate("llvm/bin/clang");
  const std::string reduce_ = Locate("firstcall/tests/differential/reduce");
  Program program_;
};

TEST_F(ReduceTest, KeepsWhatIsWrong) {
  const std::string wrong = Path("wrong");
  std::ofstream(wrong) << "#!/bin/bash\n${FIRSTCALL_EMULATE-} '"
                       << Locate("firstcall/tools/firstcall")
                       << "' \"$@\" | sed s/needle/noodle/\n";
  std::filesystem::permissions(wrong, std::filesystem::perms::owner_all);
  ASSERT_OK_AND_ASSIGN(const Comparison comparison, Compare(program_, wrong, absl::Seconds(60)));
  ASSERT_THAT(comparison.mismatches, SizeIs(1));

  ASSERT_EQ(ExitStatusOf({"bash", reduce_, comparison.mismatches[0].script, Path("reduced.ll"),
                          "--delta-passes=functions,instructions"}),
            0);
  const std::string reduced = Read(Path("reduced.ll"));
  EXPECT_THAT(reduced, HasSubstr("needle"));
  EXPECT_THAT(reduced, HasSubstr("@main"));
  EXPECT_THAT(reduced, Not(HasSubstr("bystander")));
  EXPECT_THAT(reduced, Not(HasSubstr("mul")));
}

TEST_F(ReduceTest, RefusesWhatIsNoMismatchAnyMore) {
  ASSERT_OK_AND_ASSIGN(const Comparison comparison,
                       Compare(program_, "/bin/false", absl::Seconds(60)));
  ASSERT_THAT(comparison.mismatches, SizeIs(1));
  setenv("FIRSTCALL", Locate("firstcall/tools/firstcall").c_str(), 1);
  EXPECT_EQ(ExitStatusOf({"bash", reduce_, comparison.mismatches[0].script, Path("reduced.ll")}),
            1);
  unsetenv("FIRSTCALL");
}

}  // namespace
}  // namespace firstcall::testing

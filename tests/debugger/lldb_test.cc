// Sessions with a real LLDB. The arguments are the command's path, the program's bitcode, and its
// source.

#include "tests/debugger/lldb.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string command_path, program_path, source_path;

// "breakpoint set" at the line that ends in the comment `text`.
std::string BreakAt(const std::string& text) {
  std::ifstream source(source_path);
  int number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (absl::EndsWith(line, "// " + text)) {
      return absl::StrCat("breakpoint set --file session.cc --line ", number);
    }
  }
  ADD_FAILURE() << "no line ends in '// " << text << "'";
  return "";
}

class LldbTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static const std::string why_not = WhyNoLldb();
    if (!why_not.empty()) GTEST_SKIP() << why_not;
  }

  static std::string Debug(const std::vector<std::string>& commands,
                           const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {command_path, "--no-object-cache"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(program_path);
    return RunLldb(commands, arguments);
  }
};

TEST_F(LldbTest, BreakpointByNameBeforeTheFirstCallHits) {
  const std::string output =
      Debug({"breakpoint set --name rare", "run", "thread backtrace --count 3"});
  EXPECT_THAT(output, ContainsRegex("stop reason = breakpoint 1"));
  EXPECT_THAT(output, ContainsRegex("frame #0: .*rare\\(x=60\\) at session.cc:"));
  EXPECT_THAT(output, ContainsRegex("frame #1: .*often\\(x=60\\) at session.cc:"));
  EXPECT_THAT(output, ContainsRegex("frame #2: .*main\\(argc=1.* at session.cc:"));
}

TEST_F(LldbTest, BreakpointAfterTheFirstCallHits) {
  const std::string output = Debug(
      {BreakAt("third"), "run", "breakpoint set --name often", "continue", "frame variable x"});
  EXPECT_THAT(output, ContainsRegex("stop reason = breakpoint 2"));
  EXPECT_THAT(output, HasSubstr("(int) x = 61"));
}

// LLDB does not go through stubs, so it steps over a call that passes one.
TEST_F(LldbTest, StepAndNextGoFromLineToLine) {
  const std::string output =
      Debug({"breakpoint set --name rare", "run", "step", "next", "continue"});
  EXPECT_THAT(output, ContainsRegex("stop reason = step in"));
  EXPECT_THAT(output, ContainsRegex("stop reason = step over\n.*often\\(x=60\\) at session.cc:"));
}

TEST_F(LldbTest, FinishReturnsTheValueAndUpShowsTheCaller) {
  const std::string output = Debug(
      {"breakpoint set --name rare", "run", "up", "frame variable", "down", "finish", "next"});
  EXPECT_THAT(output, ContainsRegex("frame #1: .*often\\(x=60\\) at session.cc:"));
  EXPECT_THAT(output, HasSubstr("(int) r = 59"));
  EXPECT_THAT(output, ContainsRegex("Return value: \\(int\\) .* = 160"));
  EXPECT_THAT(output, ContainsRegex("stop reason = step over"));
}

TEST_F(LldbTest, ValuesCanBePrintedAndChanged) {
  const std::string output = Debug(
      {"breakpoint set --name rare", "run", "expression x = 1", "frame variable x", "finish"});
  EXPECT_THAT(output, HasSubstr("(int) x = 1\n"));
  EXPECT_THAT(output, ContainsRegex("Return value: \\(int\\) .* = 101"));
}

TEST_F(LldbTest, BreakpointHitsOnAnotherThread) {
  const std::string output = Debug({"breakpoint set --name work", "run", "frame variable number"});
  EXPECT_THAT(output, ContainsRegex("thread #[2-9]"));
  EXPECT_THAT(output, HasSubstr("(int) number = 5"));
}

TEST_F(LldbTest, ProgramRunsToItsEndWithBreakpointsEverywhere) {
  std::vector<std::string> commands;
  for (const char* function : {"often", "rare", "catches", "throws", "hot", "work"}) {
    commands.push_back(absl::StrCat("breakpoint set --auto-continue true --name ", function));
  }
  commands.push_back("run");
  const std::string output = Debug(commands, {"--tier=0"});
  EXPECT_THAT(output, HasSubstr("sum 13495927 5"));
  EXPECT_THAT(output, HasSubstr("exited with status = 0"));
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  firstcall::command_path = argv[1];
  firstcall::program_path = argv[2];
  firstcall::source_path = argv[3];
  return RUN_ALL_TESTS();
}

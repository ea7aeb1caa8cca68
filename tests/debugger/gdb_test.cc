// Sessions with a real GDB. The arguments are the command's path, the program's bitcode, its
// source, the path of remove_and_add.cc's program, and the two parts of a program in C and C++.

#include "tests/debugger/gdb.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/debugger/watchpoints.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string command_path, program_path, source_path, remover_path, cpp_part_path, c_part_path;

// "session.cc:12", for the line that ends in the comment `text`.
std::string Line(const std::string& text) {
  std::ifstream source(source_path);
  int number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (absl::EndsWith(line, "// " + text)) return absl::StrCat("session.cc:", number);
  }
  ADD_FAILURE() << "no line ends in '// " << text << "'";
  return "";
}

class GdbTest : public testing::Test {
 protected:
  void SetUp() override {
    static const std::string why_not = WhyNoGdb();
    if (!why_not.empty()) GTEST_SKIP() << why_not;
  }

  std::string Debug(const std::vector<std::string>& commands,
                    const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {command_path, "--no-object-cache"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(program_path);
    return RunGdb(commands, arguments);
  }
};

TEST_F(GdbTest, BreakpointByNameBeforeTheFirstCallHits) {
  const std::string output = Debug({"break rare", "run", "backtrace 3", "info args"});
  EXPECT_THAT(output, ContainsRegex("Breakpoint 1, rare \\(x=60\\) at .*session.cc"));
  EXPECT_THAT(output, ContainsRegex("#1 .* in often \\(x=60\\) at .*session.cc"));
  EXPECT_THAT(output, ContainsRegex("#2 .* in main \\(argc=1.* at .*session.cc"));
  EXPECT_THAT(output, HasSubstr("\nx = 60\n"));
}

TEST_F(GdbTest, BreakpointAfterTheFirstCallHits) {
  const std::string output =
      Debug({"break " + Line("third"), "run", "break often", "continue", "print x"});
  EXPECT_THAT(output, ContainsRegex("Breakpoint 2, often \\(x=61\\) at .*session.cc"));
  EXPECT_THAT(output, HasSubstr("$1 = 61"));
}

// Functions share pages: those that are added to a page with a breakpoint must be there, too.
TEST_F(GdbTest, ProgramRunsToItsEndWithBreakpointsEverywhere) {
  std::vector<std::string> commands;
  for (const char* function : {"often", "rare", "catches", "throws", "hot", "work"}) {
    commands.push_back(absl::StrCat("break ", function));
    commands.push_back("commands\nsilent\ncontinue\nend");
  }
  commands.push_back("run");
  const std::string output = Debug(commands, {"--tier=0"});
  EXPECT_THAT(output, HasSubstr("sum 13495927 5"));
  EXPECT_THAT(output, HasSubstr("exited normally"));
}

TEST_F(GdbTest, StepGoesIntoAFunctionThatIsCompiledByIt) {
  const std::string output = Debug({"break " + Line("calls rare"), "run", "step", "backtrace 2"});
  EXPECT_THAT(output, ContainsRegex("rare \\(x=60\\) at .*session.cc"));
  EXPECT_THAT(output, HasSubstr("// in rare"));
  EXPECT_THAT(output, ContainsRegex("#1 .* in often \\(x=60\\)"));
}

TEST_F(GdbTest, StepGoesThroughAPointer) {
  const std::string output =
      Debug({"break " + Line("calls through a pointer"), "run", "step", "info args"});
  EXPECT_THAT(output, HasSubstr("// in rare"));
  EXPECT_THAT(output, HasSubstr("\nx = 7\n"));
}

TEST_F(GdbTest, NextStaysInTheFunctionAndFinishReturnsTheValue) {
  const std::string output =
      Debug({"break " + Line("calls rare"), "run", "next", "info locals", "tbreak rare", "delete 1",
             "continue", "up", "info locals", "down", "finish"});
  EXPECT_THAT(output, HasSubstr("\nr = 160\n"));
  EXPECT_THAT(output, HasSubstr("Value returned is $1 = 161"));
  EXPECT_THAT(output, ContainsRegex("#1 .* in often \\(x=61\\)"));
  EXPECT_THAT(output, HasSubstr("\nr = 60\n"));
}

TEST_F(GdbTest, ValuesCanBePrintedAndChangedAndFunctionsCalled) {
  if (!WhyNoCalls().empty()) GTEST_SKIP() << WhyNoCalls();
  const std::string output =
      Debug({"break rare", "run", "set var x = 1", "print x + 1", "print throws(8)"});
  EXPECT_THAT(output, HasSubstr("$1 = 2"));
  EXPECT_THAT(output, HasSubstr("$2 = 8"));
}

// What it returns was defined for another function.
TEST_F(GdbTest, FunctionThatReturnsAStructureCanBeCalled) {
  if (!WhyNoCalls().empty()) GTEST_SKIP() << WhyNoCalls();
  const std::string output = Debug({"break sum_of", "run", "print make_pair_of(40)", "print pair"});
  EXPECT_THAT(output, HasSubstr("$1 = {first = 40, second = 41, third = 42}"));
  EXPECT_THAT(output, HasSubstr("{first = 1, second = 2, third = 3}"));
}

TEST_F(GdbTest, AVariableCanBeWatched) {
  if (WatchpointsAreIgnored()) GTEST_SKIP() << "watchpoints never hit on this machine";
  if (!WhyNoCalls().empty()) GTEST_SKIP() << WhyNoCalls();
  const std::string output = Debug({"break rare", "run", "set var x = 1", "print throws(8)",
                                    "watch watched", "delete 1", "continue"});
  EXPECT_THAT(output, AllOf(HasSubstr("Old value = 0"), HasSubstr("New value = 3")));
}

TEST_F(GdbTest, ExceptionIsFollowedFromTheThrowToTheHandler) {
  const std::string output =
      Debug({"break " + Line("calls catches"), "run", "catch throw", "continue", "backtrace 4",
             "break " + Line("caught"), "continue", "backtrace 2"});
  EXPECT_THAT(output, ContainsRegex("#1 .* in throws \\(x=3\\)"));
  EXPECT_THAT(output, ContainsRegex("#2 .* in catches \\(x=3\\)"));
  EXPECT_THAT(output, HasSubstr("// caught"));
}

TEST_F(GdbTest, BreakpointHitsOnAnotherThread) {
  const std::string output = Debug({"break work", "run", "info args", "info threads"});
  EXPECT_THAT(output, ContainsRegex("Thread [0-9]+ .* hit Breakpoint 1, work \\(number=5\\)"));
  EXPECT_THAT(output, HasSubstr("\nnumber = 5\n"));
}

TEST_F(GdbTest, BreakpointHitsInAnOptimizedBody) {
  const std::string output = Debug({"break " + Line("after the loop"), "run", "break hot",
                                    "info breakpoints", "continue", "backtrace 2"},
                                   {"--promotion-threshold=100", "--promotion-threads=0"});
  // One location for the first body, one for the optimized one.
  EXPECT_THAT(output, HasSubstr("(2 locations)"));
  EXPECT_THAT(output, ContainsRegex("Breakpoint 2.2, hot \\(x=0\\)"));
  EXPECT_THAT(output, ContainsRegex("#1 .* in main \\(argc=1"));
}

TEST_F(GdbTest, EveryFunctionHasANameWithoutDebugInformation) {
  const std::string text = ::testing::TempDir() + "/plain.ll";
  std::ofstream(text) << R"(
    declare i32 @raise(i32)
    define internal void @inner() { %1 = call i32 @raise(i32 5) ret void }
    define void @outer(i1 %c) { br i1 %c, label %a, label %b
      a: call void @inner() br label %b
      b: ret void }
    define i32 @main() { call void @outer(i1 true) ret i32 0 })";
  const std::string output = RunGdb({"break inner", "run", "continue", "backtrace"},
                                    {command_path, "--no-object-cache", text});
  EXPECT_THAT(output, HasSubstr("Breakpoint 1, "));
  EXPECT_THAT(output, HasSubstr("SIGTRAP"));
  EXPECT_THAT(output, ContainsRegex("in inner \\(\\)"));
  EXPECT_THAT(output, ContainsRegex("in outer \\(\\)"));
  EXPECT_THAT(output, ContainsRegex("in main \\(\\)"));
  EXPECT_THAT(output, Not(HasSubstr("??")));
}

TEST_F(GdbTest, FunctionsHaveNamesOnlyIfDebugInformationIsNotWanted) {
  const std::string output =
      Debug({"break rare", "run", "backtrace 2", "info line"}, {"--debug-info=never"});
  EXPECT_THAT(output, ContainsRegex("Breakpoint 1, 0x[0-9a-f]+ in rare\\(int\\) \\(\\)"));
  EXPECT_THAT(output, ContainsRegex("#1 .* in often\\(int\\) \\(\\)"));
  EXPECT_THAT(output, Not(HasSubstr("session.cc")));
}

// The output of `commands` in a GDB that attaches when the program waits.
std::string AttachAndDebug(const std::string& options, const std::vector<std::string>& commands) {
  const std::string directory = ::testing::TempDir();
  std::vector<std::string> all = {
      absl::StrCat("shell : > ", directory, "/out; ", command_path,
                   " --no-object-cache --debug-info=always ", options, " ", program_path,
                   " wait > ", directory, "/out & echo attach $! > ", directory,
                   "/attach.gdb; until grep -q waiting ", directory, "/out; do sleep 0.1; done"),
      absl::StrCat("source ", directory, "/attach.gdb")};
  all.insert(all.end(), commands.begin(), commands.end());
  return RunGdb(all, {});
}

TEST_F(GdbTest, DebuggerThatAttachesLaterFindsLinesAndItsBreakpointsHit) {
  const std::string output =
      AttachAndDebug("--tier=0", {"break often", "break rare", "set var is_waiting = 0", "continue",
                                  "finish", "continue", "continue", "backtrace 3", "kill"});
  EXPECT_THAT(output, ContainsRegex("Breakpoint 1, often \\(x=2\\) at .*session.cc"));
  EXPECT_THAT(output, ContainsRegex("Breakpoint 2, rare \\(x=60\\) at .*session.cc"));
  EXPECT_THAT(output, ContainsRegex("#2 .* in main \\(argc=2"));
}

// The call of main that entered the loop before it was optimized is still there, too. The optimizer
// may move what has no effects behind the loop, so the breakpoints are hit in any order.
TEST_F(GdbTest, DebuggerThatAttachesLaterFindsLinesOfOptimizedCode) {
  const std::string output =
      AttachAndDebug("--promotion-threshold=10 --promotion-threads=0",
                     {"backtrace", "break often", "break " + Line("after the loop"),
                      "set var is_waiting = 0", "continue", "info symbol $pc", "continue", "kill"});
  EXPECT_THAT(output, ContainsRegex("#[0-9] .* in main \\(\\) at .*" + Line("waits") +
                                    "\n.* in main \\(argc=2\\)"));
  EXPECT_THAT(output, ContainsRegex("Breakpoint 1[.0-9]*, often \\(x=.*\\) at .*session.cc"));
  EXPECT_THAT(output, ContainsRegex("Breakpoint 2[.0-9]*, main \\(\\) at .*session.cc"));
  EXPECT_THAT(output, HasSubstr("main$fc[loop] + "));
}

TEST_F(GdbTest, BreakpointHitsInAFunctionThatReplacesARemovedOne) {
  const std::string output = RunGdb({"break replaced", "run", "info symbol $pc", "continue",
                                     "info symbol $pc", "info breakpoints", "continue"},
                                    {remover_path});
  const size_t first = output.find("Breakpoint 1, ");
  ASSERT_NE(first, std::string::npos) << output;
  EXPECT_NE(output.find("Breakpoint 1, ", first + 1), std::string::npos) << output;
  EXPECT_THAT(output, HasSubstr("returned 1 and 2"));
  EXPECT_THAT(output, HasSubstr("exited normally"));
}

// The C part is compiled ahead of time. GDB knows it when the engine has linked it.
TEST_F(GdbTest, BacktraceCrossesFromCIntoLazilyCompiledCppAndBack) {
  const std::string output =
      RunGdb({"break run_c", "run", "step", "backtrace 3", "break add_area", "continue",
              "backtrace 5", "finish", "next", "delete", "continue"},
             {command_path, "--no-object-cache", "--extra-object=" + c_part_path, cpp_part_path});
  EXPECT_THAT(output, ContainsRegex("Breakpoint 1, run_c \\(count=3\\) at .*languages.c:"));
  // The step into a function that is compiled by it.
  EXPECT_THAT(output, ContainsRegex("#0 +sum_over_shapes \\(count=3, .*languages.cc:"));
  EXPECT_THAT(output, ContainsRegex("Breakpoint 2, add_area \\(area=1\\) at .*languages.c:"));
  EXPECT_THAT(output, ContainsRegex("#0 +add_area \\(area=1\\) at .*languages.c:[0-9]+\n"
                                    "#1 .*SumOver<.*languages.cc:[0-9]+\n"
                                    "#2 .* in sum_over_shapes \\(count=3.*languages.cc:[0-9]+\n"
                                    "#3 .* in run_c \\(count=3\\) at .*languages.c:[0-9]+\n"
                                    "#4 .* in main \\(.*languages.cc:[0-9]+\n"));
  EXPECT_THAT(output, HasSubstr("Value returned is $1 = 1"));
  EXPECT_THAT(output, ContainsRegex("Breakpoint 2, add_area \\(area=4\\)"));
  EXPECT_THAT(output, HasSubstr("seen 14"));
  EXPECT_THAT(output, HasSubstr("exited normally"));
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  firstcall::command_path = argv[1];
  firstcall::program_path = argv[2];
  firstcall::source_path = argv[3];
  firstcall::remover_path = argv[4];
  firstcall::cpp_part_path = argv[5];
  firstcall::c_part_path = argv[6];
  return RUN_ALL_TESTS();
}

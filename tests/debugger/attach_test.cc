// Sessions with a GDB that attaches to a program which was started without one, and whose code has
// no debug information. The arguments are the command's path, the program's bitcode without
// optimization and with, its bitcode without debug information, and its source, and the bitcode of
// a program in C++.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/debugger/gdb.h"
#include "tests/services/server/server_process.h"

namespace firstcall {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string command_path, plain_path, optimized_path, undecorated_path, source_path, weak_path;

// "attached.c:12", for the line that ends in the comment `text`.
std::string Line(const std::string& text) {
  std::ifstream source(source_path);
  int number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (absl::EndsWith(line, "// " + text)) return absl::StrCat("attached.c:", number);
  }
  ADD_FAILURE() << "no line ends in '// " << text << "'";
  return "";
}

class AttachTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static const std::string why_not = WhyNoGdb();
    if (!why_not.empty()) GTEST_SKIP() << why_not;
  }

  static std::string FileForRare() { return ::testing::TempDir() + "/call_rare"; }
  // A command of GDB's: from now on, `rare` is called.
  static std::string CallRare() { return absl::StrCat("shell touch ", FileForRare()); }

  // The output of `commands` in a GDB that attaches to `program` when it has run for some rounds.
  static std::string Attach(const std::string& program, const std::string& options,
                            const std::vector<std::string>& commands) {
    const std::string directory = ::testing::TempDir();
    std::filesystem::remove(FileForRare());
    std::vector<std::string> all = {
        absl::StrCat("shell : > ", directory, "/out; ", command_path, " ", options, " ", program,
                     " ", FileForRare(), " > ", directory, "/out 2> ", directory,
                     "/errors & echo attach $! > ", directory,
                     "/attach.gdb; until grep -q waiting ", directory, "/out; do sleep 0.1; done"),
        absl::StrCat("source ", directory, "/attach.gdb")};
    all.insert(all.end(), commands.begin(), commands.end());
    all.push_back("kill");
    return RunGdb(all, {});
  }
  // What the program that ran last has written to its standard error.
  static std::string Errors() {
    std::ifstream file(::testing::TempDir() + "/errors");
    return std::string((std::istreambuf_iterator<char>(file)), {});
  }
};

constexpr char kFirstBodies[] = "--tier=0 --no-object-cache";

TEST_F(AttachTest, FirstStopShowsNames) {
  const std::string output = Attach(plain_path, kFirstBodies, {"backtrace"});
  EXPECT_THAT(output, ContainsRegex("#[0-9]+ +0x[0-9a-f]+ in main \\(\\)\n"));
}

TEST_F(AttachTest, FunctionsThatRanBeforeHaveLinesAndVariablesOnceTheProgramGoesOn) {
  const std::string output = Attach(
      plain_path, kFirstBodies,
      {"break rare", CallRare(), "continue", "backtrace 2", "info args", "next", "info locals",
       "break leaf", "break " + Line("behind the loop"), "continue", "backtrace 3", "print *p",
       "finish", "delete 2", "continue", "info locals", "up", "info locals", "info line"});
  // The first call of `rare` has noticed the debugger.
  EXPECT_THAT(output, ContainsRegex("Breakpoint 1, rare \\(seven=7\\) at .*attached.c:"));
  EXPECT_THAT(output,
              ContainsRegex("#1 .* in main \\(argc=2, argv=0x[0-9a-f]+\\) at .*attached.c:"));
  EXPECT_THAT(output, HasSubstr("\nseven = 7\n"));
  EXPECT_THAT(output, HasSubstr("\nsquare = 49\n"));
  EXPECT_THAT(output,
              ContainsRegex("Breakpoint 2, leaf \\(a=0, p=0x[0-9a-f]+\\) at .*attached.c:"));
  EXPECT_THAT(output, ContainsRegex("#1 .* in walk \\(rounds=[0-9]+\\) at .*attached.c:"));
  EXPECT_THAT(output, ContainsRegex("\\$1 = .x = [0-9]+, y = 2, name = 0x[0-9a-f]+ \"walker\""));
  EXPECT_THAT(output, HasSubstr("Value returned is $2 = 1\n"));
  EXPECT_THAT(output, ContainsRegex("Breakpoint 3, walk \\(rounds=[0-9]+\\) at .*" +
                                    Line("behind the loop")));
  EXPECT_THAT(output, HasSubstr("\nsum = 9\n"));
}

TEST_F(AttachTest, BreakpointsByLineHitAndStepsGoFromLineToLine) {
  const std::string output =
      Attach(plain_path, kFirstBodies,
             {"break " + Line("in rare"), CallRare(), "continue", "up", "delete",
              "break " + Line("in leaf"), "continue", "step", "step", "info frame"});
  EXPECT_THAT(output, ContainsRegex("Breakpoint 1, rare \\(seven=7\\) at .*" + Line("in rare")));
  EXPECT_THAT(output,
              ContainsRegex("Breakpoint 2, leaf \\(a=[012], p=.*\\) at .*" + Line("in leaf")));
  EXPECT_THAT(output, HasSubstr("return twice + 1;\n"));
}

// In this code, values are in registers.
TEST_F(AttachTest, ArgumentsOfOptimizedIrAreShownWhereTheyAreKept) {
  const std::string output =
      Attach(optimized_path, kFirstBodies,
             {"break rare", CallRare(), "continue", "backtrace 2", "break leaf", "continue",
              "info args", "backtrace 2", "up", "info locals"});
  EXPECT_THAT(output, ContainsRegex("Breakpoint 1, rare \\(.*\\) at .*attached.c:"));
  EXPECT_THAT(output, ContainsRegex("Breakpoint 2, leaf \\(a=[012], p=0x[0-9a-f]+\\) at "));
  EXPECT_THAT(output, ContainsRegex("#1 .* in walk \\(rounds=.*\\) at .*attached.c:"));
  EXPECT_THAT(output, ContainsRegex("\np = .x = [0-9]+, y = 2, name = 0x[0-9a-f]+ \"walker\""));
}

// Variables of loops are in registers, of which the debugger finds those of a caller.
TEST_F(AttachTest, VariablesThatWouldBeInMemoryAreShownInRegisters) {
  const std::string output =
      Attach(plain_path, kFirstBodies,
             {"break rare", CallRare(), "continue", "delete", "break leaf if a == 2", "continue",
              "up", "info locals", "info address i", "set var sum = 100",
              "break " + Line("behind the loop"), "continue", "print sum"});
  EXPECT_THAT(output, ContainsRegex("Breakpoint 2, leaf \\(a=2, p=0x[0-9a-f]+\\) at "));
  EXPECT_THAT(output, HasSubstr("\nsum = 4\n"));
  EXPECT_THAT(output, HasSubstr("i = 2\n"));
  EXPECT_THAT(output, ContainsRegex("is (multi-location|a variable in \\$)"));
  EXPECT_THAT(output, HasSubstr("\n$1 = 105\n"));
}

// What a variable was before is not shown as its value.
TEST_F(AttachTest, VariableOfOptimizedIrHasItsLastValue) {
  const std::string output =
      Attach(optimized_path, kFirstBodies,
             {"break rare", CallRare(), "continue", "delete", "break power", "continue", "up",
              "print value", "print first", "continue", "up", "print first", "print value"});
  EXPECT_THAT(output, HasSubstr("\n$1 = 21\n$2 = 21\n"));
  EXPECT_THAT(output, HasSubstr("\n$3 = 21\n$4 = "));
  EXPECT_THAT(output, Not(HasSubstr("\n$4 = 21\n")));
}

TEST_F(AttachTest, CodeFromTheCacheHasLinesToo) {
  const std::string cache =
      absl::StrCat("--tier=0 --object-cache-dir=", ::testing::TempDir(), "/cache");
  const std::string run = absl::StrCat(command_path, " ", cache, " ", plain_path, " ",
                                       FileForRare(), " 30 > ", ::testing::TempDir(), "/out");
  ASSERT_EQ(std::system(run.c_str()), 0);
  const std::string output =
      Attach(plain_path, cache,
             {"break rare", CallRare(), "continue", "break leaf", "continue", "backtrace 2"});
  EXPECT_THAT(output, ContainsRegex("Breakpoint 2, leaf \\(a=[012], p=.*\\) at .*attached.c:"));
  EXPECT_THAT(output, ContainsRegex("#1 .* in walk \\(rounds=[0-9]+\\) at .*attached.c:"));
}

// The server has compiled, and the process loads LLVM only now.
TEST_F(AttachTest, CodeThatACompileServerHasMadeHasLinesToo) {
  const testing::ServerProcess server(command_path);
  for (const char* options : {"--tier=0", ""}) {
    const std::string output =
        Attach(plain_path,
               absl::StrCat("--no-object-cache --compile-server=", server.socket(), " ", options),
               {"break rare", CallRare(), "continue", "backtrace 2", "break leaf", "continue",
                "info args", "backtrace 2"});
    EXPECT_THAT(output, ContainsRegex("Breakpoint 1, rare \\(seven=7\\) at .*attached.c:"));
    EXPECT_THAT(output, ContainsRegex("#1 .* in main \\(argc=2, argv=.*\\) at .*attached.c:"));
    EXPECT_THAT(output, ContainsRegex("Breakpoint 2, leaf \\(a=[012], p=.*\\) at .*attached.c:"));
    EXPECT_THAT(output, ContainsRegex("#1 .* in walk \\(rounds=[0-9]+\\) at .*attached.c:"));
  }
}

TEST_F(AttachTest, StatisticsCountWhatIsDescribed) {
  (void)Attach(plain_path, absl::StrCat(kFirstBodies, " --stats"),
               {"break rare", CallRare(), "continue", "delete", "continue"});
  EXPECT_THAT(Errors(), ContainsRegex("\ndescribed +6  for a debugger\n"));
  EXPECT_THAT(Errors(), ContainsRegex("\nnot described +0\n"));
}

// Functions that are compiled together call each other in another way than others do.
TEST_F(AttachTest, WhatWasCompiledTogetherHasLinesToo) {
  const std::string output =
      Attach(weak_path, absl::StrCat(kFirstBodies, " --stats"),
             {"break rare", CallRare(), "continue", "delete", "break Walker::Step", "continue",
              "backtrace 2", "delete", "continue"});
  EXPECT_THAT(output, ContainsRegex("Walker::Step \\(this=0x[0-9a-f]+, by=-?[0-9]+\\) at "));
  EXPECT_THAT(output, ContainsRegex("#1 .* in Walker::Walk \\(this=.*, steps=[0-9]+\\) at "));
  EXPECT_THAT(Errors(), ContainsRegex("\ndescribed +15  for a debugger\n"));
  EXPECT_THAT(Errors(), ContainsRegex("\nnot described +0\n"));
}

TEST_F(AttachTest, CodeThatIsOptimizedAfterwardsHasLines) {
  const std::string output = Attach(plain_path, "--no-object-cache --promotion-threshold=3000",
                                    {"break rare", CallRare(), "continue", "backtrace 2"});
  EXPECT_THAT(output, ContainsRegex("Breakpoint 1[.0-9]*, rare \\(seven=7\\) at .*attached.c:"));
}

TEST_F(AttachTest, ProgramWithoutDebugInformationHasNames) {
  const std::string output =
      Attach(undecorated_path, kFirstBodies, {"break rare", CallRare(), "continue", "backtrace 2"});
  EXPECT_THAT(output, ContainsRegex("Breakpoint 1, 0x[0-9a-f]+ in rare \\(\\)\n"));
  EXPECT_THAT(output, Not(HasSubstr("attached.c")));
}

TEST_F(AttachTest, NothingIsDescribedIfTheUserSaysSo) {
  const std::string output = Attach(plain_path, absl::StrCat(kFirstBodies, " --debug-info=never"),
                                    {"break rare", CallRare(), "continue", "backtrace 2"});
  EXPECT_THAT(output, ContainsRegex("Breakpoint 1, 0x[0-9a-f]+ in rare \\(\\)\n"));
  EXPECT_THAT(output, Not(HasSubstr("attached.c")));
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  firstcall::command_path = argv[1];
  firstcall::plain_path = argv[2];
  firstcall::optimized_path = argv[3];
  firstcall::undecorated_path = argv[4];
  firstcall::source_path = argv[5];
  firstcall::weak_path = argv[6];
  return RUN_ALL_TESTS();
}

// `firstcall bench`, with lli, an executable and the page in Chromium. The only argument is the
// command's path. lli is a script here: which lli is installed must not matter.

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ProcessResult;
using ::testing::StartsWith;

std::string command_path;

constexpr char kChromium[] = "/usr/bin/chromium";

// Prints "5" and its arguments' number, and exits with 3.
constexpr char kProgram[] = R"(
  @format = private constant [4 x i8] c"%d\0A\00"
  declare i32 @printf(ptr, ...)
  define i32 @main(i32 %count, ptr %arguments) {
    call i32 (ptr, ...) @printf(ptr @format, i32 %count)
    ret i32 3
  })";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string InTemporary(const std::string& name) { return ::testing::TempDir() + "/" + name; }

// A shell script that answers --version as lli does, and otherwise runs `body`.
std::string Script(const std::string& name, const std::string& body) {
  const std::string path = InTemporary(name);
  std::ofstream(path)
      << "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'script version 1'; exit; "
         "fi\n"
      << body << "\n";
  chmod(path.c_str(), 0755);
  return path;
}

class BenchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (IsEmulated()) GTEST_SKIP() << "what is measured would run on this machine itself";
    program_ = InTemporary("measured.ll");
    std::ofstream(program_) << kProgram;
  }

  ProcessResult Bench(std::vector<std::string> options) {
    options.insert(options.begin(), {command_path, "bench"});
    return testing::RunProcess(options);
  }

  // The line of the table for that contestant.
  static std::string Line(const std::string& table, const std::string& contestant) {
    for (absl::string_view line : absl::StrSplit(table, '\n')) {
      if (absl::StartsWith(line, contestant + "  ")) return std::string(line);
    }
    return "no line for " + contestant;
  }

  // The JSON object of that contestant.
  static llvm::json::Object Contestant(const std::string& path, llvm::StringRef name) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(ReadFile(path));
    if (!value) {
      ADD_FAILURE() << llvm::toString(value.takeError());
      return {};
    }
    for (const llvm::json::Value& contestant : *value->getAsObject()->getArray("contestants")) {
      if (contestant.getAsObject()->getString("name") == name) return *contestant.getAsObject();
    }
    ADD_FAILURE() << "no contestant " << name.str();
    return {};
  }

  std::string program_;
};

TEST_F(BenchTest, MeasuresStartsAgainstLliAndAnExecutable) {
  const std::string json = InTemporary("measured.json");
  const std::string native = Script("native", "echo 2; exit 3");
  const std::string lli = Script("lli",
                                 "case $2 in -O0) kill -SEGV $$;; esac\n"
                                 "case $1 in *lazy) echo 4; exit 3;; esac\necho 2; exit 3");
  const ProcessResult result = Bench({"--runs=6", "--native=" + native, "--lli=" + lli,
                                      "--json=" + json, "--tier=0", program_, "word"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.output, HasSubstr("exit status 3\n"));
  EXPECT_THAT(result.output, HasSubstr(absl::StrCat("script version 1 (", lli, ")")));
  for (const char* contestant :
       {"executable", "firstcall, first start", "firstcall, second start", "lli mcjit"}) {
    EXPECT_THAT(Line(result.output, contestant), ContainsRegex("[0-9] to [0-9.]+ .* 6$"));
  }
  EXPECT_THAT(Line(result.output, "lli mcjit -O0"), HasSubstr("crash (Segmentation fault)"));
  EXPECT_THAT(Line(result.output, "lli orc-lazy"), HasSubstr("wrong output"));

  const llvm::json::Object first = Contestant(json, "firstcall, first start");
  EXPECT_EQ(first.getInteger("runs"), 6);
  EXPECT_EQ(first.getNumber("ratio"), 1.0);
  const llvm::json::Object* const wall = first.getObject("wall_ms");
  ASSERT_NE(wall, nullptr);
  EXPECT_LE(*wall->getNumber("low"), *wall->getNumber("median"));
  EXPECT_GE(*wall->getNumber("high"), *wall->getNumber("median"));
  EXPECT_NEAR(*wall->getNumber("confidence"), 1 - 2.0 / 64, 0.001);
  EXPECT_EQ(first.getArray("samples")->size(), 6u);
  EXPECT_EQ(Contestant(json, "lli orc-lazy").getString("fault"), "wrong output");
}

// Each run writes a trace, which says where the code came from.
TEST_F(BenchTest, FirstStartsCompileAndSecondStartsDoNot) {
  const std::filesystem::path traces = InTemporary("traces");
  std::filesystem::create_directory(traces);
  const ProcessResult result = Bench(
      {"--runs=3", "--lli=", absl::StrCat("--trace=", traces.string(), "/%p.json"), program_});
  EXPECT_EQ(result.exit_status, 0) << result.errors << result.output;
  EXPECT_THAT(Line(result.output, "lli mcjit"), HasSubstr("left out"));
  // Three runs have no interval.
  EXPECT_THAT(Line(result.output, "firstcall, first start"), HasSubstr(" - "));
  int compiling = 0, cached = 0;
  for (const auto& file : std::filesystem::directory_iterator(traces)) {
    const std::string trace = ReadFile(file.path());
    if (absl::StrContains(trace, "published main")) {
      ++(absl::StrContains(trace, "\"cached\":false") ? compiling : cached);
    }
  }
  EXPECT_EQ(compiling, 3);
  EXPECT_EQ(cached, 3);
}

TEST_F(BenchTest, LeavesNoDirectoryEvenIfItIsInterrupted) {
  const std::filesystem::path directory = InTemporary("interrupted");
  std::filesystem::create_directory(directory);
  const std::string lli = Script("waiting_lli", "exec sleep 60");
  // The shell's child gets the signal while a program runs, 2 seconds after the start.
  const std::string script = absl::StrCat("TMPDIR=", directory.string(), " timeout 2 ",
                                          command_path, " bench --lli=", lli, " ", program_);
  const ProcessResult result = testing::RunProcess({"/bin/sh", "-c", script});
  EXPECT_NE(result.exit_status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(directory));
}

TEST_F(BenchTest, ProgramGetsItsInput) {
  const std::string input = InTemporary("input.txt");
  std::ofstream(input) << "x";
  const std::string program = InTemporary("reading.ll");
  std::ofstream(program) << R"(
    declare i32 @getchar()
    define i32 @main() {
      %c = call i32 @getchar()
      ret i32 %c
    })";
  const ProcessResult result = Bench({"--runs=1", "--lli=", "--input=" + input, program});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("exit status 120\n"));
}

TEST_F(BenchTest, RunThatTakesTooLongIsReported) {
  const std::string lli =
      Script("slow_lli", "case \"$*\" in *-O0*|*lazy*) exit 3;; esac\nexec sleep 60");
  // Long enough for a start of firstcall under a sanitizer.
  const ProcessResult result = Bench({"--runs=2", "--time-limit=10", "--lli=" + lli, program_});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(Line(result.output, "lli mcjit"), HasSubstr("timed out after 10s"));
}

TEST_F(BenchTest, FaultOfFirstcallIsAFailure) {
  const std::string native = Script("other", "echo something else; exit 3");
  const ProcessResult result = Bench({"--runs=1", "--lli=", "--native=" + native, program_});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(Line(result.output, "firstcall, first start"), HasSubstr("wrong output"));
  EXPECT_THAT(Line(result.output, "executable"), Not(HasSubstr("wrong output")));
}

TEST_F(BenchTest, WhatCannotBeMeasuredIsOneLine) {
  const std::string damaged = InTemporary("damaged.ll");
  std::ofstream(damaged) << "define what";
  const std::string no_json = "--json=/no/such/directory/x.json";
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{}, "firstcall: bench of what? 'firstcall bench --help' explains\n"},
      {{"-"}, "firstcall: bench runs a program many times, so it must be a file\n"},
      {{"/no/such.bc"}, "firstcall: cannot read '/no/such.bc': No such file or directory\n"},
      {{"/usr"}, "firstcall: '/usr' is a directory\n"},
      {{"--runs=0", program_}, "firstcall: '--runs=0' is not a number of runs, 1 or more\n"},
      {{"--time-limit=x", program_}, "firstcall: '--time-limit=x' is not a number of seconds\n"},
      {{"--native=/no/such", program_},
       "firstcall: cannot run '/no/such': No such file or directory\n"},
      {{"--lli=/no/such", program_},
       "firstcall: cannot run '/no/such': No such file or directory\n"},
      {{"--no-object-cache", program_},
       "firstcall: '--no-object-cache' cannot be used: bench itself chooses the cache of each "
       "start\n"},
      {{no_json, program_},
       "firstcall: cannot write '/no/such/directory/x.json': No such file or directory\n"},
  };
  for (const auto& [options, line] : cases) {
    const ProcessResult result = Bench(options);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(result.errors, line);
    EXPECT_THAT(result.output, IsEmpty());
  }
  const std::vector<std::string> refused[] = {{"--lli=", damaged},
                                              {"--lli=", "--no-such-option", program_}};
  for (const std::vector<std::string>& options : refused) {
    const ProcessResult result = Bench(options);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.errors, AllOf(StartsWith("firstcall: "), ContainsRegex("^[^\n]+\n$")));
    EXPECT_THAT(result.output, IsEmpty());
  }
}

TEST_F(BenchTest, HelpIsOnStandardOutput) {
  const ProcessResult result = Bench({"--help"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, HasSubstr("usage: firstcall bench [OPTIONS] PROGRAM [ARGUMENTS]"));
}

// The page is that of a program whose name looks like the end of the data.
TEST_F(BenchTest, PageOpensWithoutErrorsAndItsNumbersAreThoseOfTheJson) {
  const std::string json = InTemporary("page.json");
  const std::string html = InTemporary("page.html");
  const std::string lli = Script("page_lli", "sleep 0.1; echo 2; exit 3");
  const ProcessResult bench = Bench(
      {"--runs=6", "--lli=" + lli, "--json=" + json, "--html=" + html, program_, "</script><b>"});
  ASSERT_EQ(bench.exit_status, 0) << bench.errors << bench.output;
  const std::string page = ReadFile(html);
  EXPECT_THAT(page, Not(HasSubstr("</script><b>")));
  EXPECT_THAT(page, Not(ContainsRegex("(src|href)=\"(http|//)")));
  if (access(kChromium, X_OK) != 0) GTEST_SKIP() << "there is no chromium";
  const std::vector<std::string> chromium = {kChromium,
                                             "--headless",
                                             "--no-sandbox",
                                             "--disable-gpu",
                                             "--disable-dev-shm-usage",
                                             "--enable-logging=stderr",
                                             "--user-data-dir=" + InTemporary("chromium")};
  std::vector<std::string> command = chromium;
  command.insert(command.end(), {"--dump-dom", "file://" + html});
  const ProcessResult result = testing::RunProcess(command);
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("data-ready=\"yes\""));
  EXPECT_THAT(result.errors, Not(HasSubstr("CONSOLE"))) << result.errors;
  for (const char* name :
       {"firstcall, first start", "firstcall, second start", "lli mcjit", "lli orc-lazy"}) {
    const llvm::json::Object contestant = Contestant(json, name);
    for (const char* figure : {"wall_ms", "peak_mib"}) {
      ASSERT_NE(contestant.getObject(figure), nullptr);
      // As JavaScript writes it: the figures have three decimals.
      const std::string value =
          absl::StrFormat("%.15g", *contestant.getObject(figure)->getNumber("median"));
      EXPECT_THAT(result.output,
                  HasSubstr(absl::StrCat("data-contestant=\"", name, "\" data-figure=\"", figure,
                                         "\" data-value=\"", value, "\"")));
    }
  }
  for (const char* size : {"1280,900", "390,844"}) {
    const std::string picture = InTemporary("bench.png");
    unlink(picture.c_str());
    command = chromium;
    command.insert(command.end(), {"--screenshot=" + picture, absl::StrCat("--window-size=", size),
                                   "file://" + html});
    EXPECT_EQ(testing::RunProcess(command).exit_status, 0);
    EXPECT_GT(ReadFile(picture).size(), 5000u) << size;
  }
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  firstcall::command_path = argv[1];
  return RUN_ALL_TESTS();
}

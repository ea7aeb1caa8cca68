// The command with an object cache: what a second run finds there, and `firstcall cache` and
// `firstcall precompile`. The command's path is the only argument.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/FileSystem.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"
#include "tests/testing/redis_server.h"
#include "third_party/llvm/version/version.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

#if defined(__aarch64__)
constexpr char kAnotherCpu[] = "--mcpu=cortex-a53";
#else
constexpr char kAnotherCpu[] = "--mcpu=x86-64";
#endif

std::string command_path;

constexpr char kProgram[] = R"(
  @text = private constant [6 x i8] c"hello\00"
  @unused_data = global i32 7
  declare i32 @puts(ptr)
  declare void @exit(i32)
  define internal void @greet(i1 %again) {
    br i1 %again, label %greeting, label %done
  greeting:
    %1 = call i32 @puts(ptr @text)
    br label %done
  done:
    ret void
  }
  define i32 @not_called() {
    %1 = load i32, ptr @unused_data
    ret i32 %1
  }
  define i32 @main(i32 %argc, ptr %argv) {
    call void @greet(i1 true)
    %many = icmp sgt i32 %argc, 1
    br i1 %many, label %other, label %done
  other:
    %2 = call i32 @not_called()
    ret i32 %2
  done:
    ret i32 0
  })";

class CacheCommandTest : public ::testing::Test {
 protected:
  CacheCommandTest()
      : directory_(::testing::TempDir() + "/" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name()),
        option_("--object-cache-dir=" + directory_),
        program_(::testing::TempDir() + "/program.ll") {
    llvm::sys::fs::remove_directories(directory_);
    std::ofstream(program_) << kProgram;
  }

  static ::testing::Matcher<std::string> Compiled(int count) {
    return ContainsRegex("functions compiled +" + std::to_string(count) + " ");
  }

  testing::ProcessResult RunCommand(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), command_path);
    return testing::RunProcess(arguments, "");
  }

  std::string OnlyPack() {
    std::error_code error;
    std::string pack;
    for (llvm::sys::fs::directory_iterator entry(directory_, error), end; entry != end && !error;
         entry.increment(error)) {
      if (llvm::StringRef(entry->path()).ends_with(".pack")) {
        EXPECT_EQ(pack, "") << "there are several";
        pack = entry->path();
      }
    }
    EXPECT_NE(pack, "");
    return pack;
  }

  const std::string directory_;
  const std::string option_;
  const std::string program_;
};

TEST_F(CacheCommandTest, SecondRunCompilesNothing) {
  const testing::ProcessResult cold = RunCommand({option_, "--stats", program_});
  EXPECT_EQ(cold.output, "hello\n");
  EXPECT_THAT(cold.errors, Compiled(2));
  const testing::ProcessResult warm = RunCommand({option_, "--stats", program_});
  EXPECT_EQ(warm.output, "hello\n");
  EXPECT_EQ(warm.exit_status, 0);
  EXPECT_THAT(warm.errors, Compiled(0));
}

TEST_F(CacheCommandTest, AFullDiskIsAnErrorOfWhatIsPrinted) {
  RunCommand({option_, program_});
  const testing::ProcessResult result =
      testing::RunProcess({command_path, "cache", "list", option_}, "",
                          [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); });
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("cannot write the output"));
}

// Neither code nor cache may be a file then; the signal for that would end the process.
TEST_F(CacheCommandTest, ProgramsRunWhereNoFileMayHaveAnyBytes) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator cannot map anonymous pages twice";
  if (kSanitizerWritesFile) GTEST_SKIP() << "the sanitizer maps a file that it writes";
  const auto limit_files = [] {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    const rlimit limit = {0, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  EXPECT_EQ(testing::RunProcess({command_path, option_, program_}, "", limit_files).exit_status, 0);
}

TEST_F(CacheCommandTest, EnvironmentNamesTheDirectory) {
  ASSERT_EQ(setenv("FIRSTCALL_CACHE", directory_.c_str(), 1), 0);
  RunCommand({program_});
  EXPECT_THAT(RunCommand({"--stats", program_}).errors, Compiled(0));
  EXPECT_THAT(RunCommand({"cache", "list"}).output, HasSubstr(program_));
  ASSERT_EQ(unsetenv("FIRSTCALL_CACHE"), 0);
}

TEST_F(CacheCommandTest, OptionsThatMayChangeCodeAreOtherObjects) {
  RunCommand({option_, program_});
  for (const std::string other :
       {"-O2", "-O3", kAnotherCpu, "--object-cache-key=clang=19", "--tail-dup-size=3"}) {
    EXPECT_THAT(RunCommand({option_, "--stats", other, program_}).errors, Not(Compiled(0)))
        << other;
    EXPECT_THAT(RunCommand({option_, "--stats", other, program_}).errors, Compiled(0)) << other;
  }
  EXPECT_THAT(RunCommand({option_, "--stats", "--compile-threads=1", program_}).errors,
              Compiled(0));
  // The same code generation, but of IR that was not optimized.
  EXPECT_THAT(RunCommand({option_, "--stats", "-O2", "--tier=0", program_}).errors,
              Not(Compiled(0)));
  EXPECT_THAT(RunCommand({option_, "--stats", "-O2", "--tier=1", program_}).errors, Compiled(0));
  EXPECT_THAT(RunCommand({option_, "--stats", "--tier=1", program_}).errors, Compiled(0));
}

TEST_F(CacheCommandTest, DirectoryThatOthersWriteToIsRefused) {
  ASSERT_FALSE(llvm::sys::fs::create_directories(directory_));
  ASSERT_EQ(chmod(directory_.c_str(), 0777), 0);
  const testing::ProcessResult result = RunCommand({option_, program_});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("firstcall: object cache"), HasSubstr("others may write to it")));
  EXPECT_THAT(RunCommand({"cache", "list", option_}).errors, HasSubstr("others may write to it"));
}

TEST_F(CacheCommandTest, DamageIsFoundCompiledAnewAndHealed) {
  RunCommand({option_, program_});
  const std::string pack = OnlyPack();
  std::ifstream in(pack, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const size_t at = bytes.rfind("ELF");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'e';
  std::ofstream(pack, std::ios::binary) << bytes;
  const testing::ProcessResult verified = RunCommand({"cache", "verify", option_});
  EXPECT_EQ(verified.exit_status, 1);
  EXPECT_THAT(verified.errors, AllOf(HasSubstr(pack), HasSubstr("is damaged")));
  const testing::ProcessResult run = RunCommand({option_, program_});
  EXPECT_EQ(run.output, "hello\n");
  EXPECT_THAT(run.errors, AllOf(HasSubstr("firstcall: warning: object cache"), HasSubstr(pack)));
  const testing::ProcessResult healed = RunCommand({"cache", "verify", option_});
  EXPECT_EQ(healed.exit_status, 0);
  EXPECT_THAT(healed.output, HasSubstr(" is sound"));
  EXPECT_THAT(RunCommand({option_, "--stats", program_}).errors, Compiled(0));
}

// Both programs of the command look at the cache.
TEST_F(CacheCommandTest, DamageIsReportedOnce) {
  RunCommand({option_, program_});
  std::ofstream(OnlyPack(), std::ios::binary) << "no pack";
  const testing::ProcessResult run = RunCommand({option_, program_});
  EXPECT_EQ(run.output, "hello\n");
  EXPECT_THAT(run.errors, HasSubstr("firstcall: warning: object cache"));
  EXPECT_EQ(run.errors.find('\n'), run.errors.size() - 1) << run.errors;
  // Nothing has to be compiled for a program that is not there.
  std::ofstream(OnlyPack(), std::ios::binary) << "no pack";
  const testing::ProcessResult refused =
      RunCommand({option_, "--entry-function=no_such", program_});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("warning: object cache"), HasSubstr("no_such")));
}

TEST_F(CacheCommandTest, WrongOptionsOfTheCacheAreRefused) {
  EXPECT_EQ(RunCommand({option_, "--object-cache-key=clang", program_}).errors,
            "firstcall: option '--object-cache-key' needs NAME=VALUE\n");
  EXPECT_EQ(RunCommand({option_, "--object-cache-key-file=key", program_}).errors,
            "firstcall: option '--object-cache-key-file' needs --object-cache\n");
  EXPECT_EQ(RunCommand({option_, "--object-cache-budget=1", program_}).errors,
            "firstcall: option '--object-cache-budget' needs --object-cache\n");
}

TEST_F(CacheCommandTest, ShowTellsWhatObjectsWereMadeFrom) {
  RunCommand({option_, program_});
  const testing::ProcessResult shown = RunCommand({"cache", "show", option_});
  EXPECT_EQ(shown.exit_status, 0);
  EXPECT_THAT(
      shown.output,
      AllOf(HasSubstr("module " + program_), ContainsRegex("firstcall=[0-9]+\n"),
            ContainsRegex("build=[0-9a-f]+\n"),
            ContainsRegex(absl::StrCat("llvm=", llvm_version::kMajor, "[.0-9]+-[0-9a-f]{40}")),
            ContainsRegex("source=[0-9a-f]{64}"), HasSubstr("host="), HasSubstr("level=0"),
            ContainsRegex("[0-9]+  function [0-9]+ main\n"),
            ContainsRegex("[0-9]+  function [0-9]+ greet[$][0-9]+\n")));
}

TEST_F(CacheCommandTest, ClearRemovesWhatIsNamed) {
  RunCommand({option_, program_});
  const std::string pack = OnlyPack();
  // A run remembers the digest of a file only if the file is some seconds old.
  std::ofstream(directory_ + "/digests", std::ios::app).put('x');
  EXPECT_EQ(RunCommand({"cache", "clear", option_, "no such"}).exit_status, 1);
  EXPECT_TRUE(llvm::sys::fs::exists(pack));
  EXPECT_TRUE(llvm::sys::fs::exists(directory_ + "/digests"));
  EXPECT_EQ(RunCommand({"cache", "clear", option_}).exit_status, 0);
  EXPECT_FALSE(llvm::sys::fs::exists(pack));
  EXPECT_FALSE(llvm::sys::fs::exists(directory_ + "/digests"));
  EXPECT_EQ(RunCommand({"cache", "list", option_}).output, "");
}

TEST_F(CacheCommandTest, WrongUsesAreExplained) {
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"cache"}, {"cache", "burn", option_}, {"cache", "list", "--what"}}) {
    const testing::ProcessResult result = RunCommand(wrong);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.errors, HasSubstr("usage: firstcall cache"));
  }
  EXPECT_THAT(RunCommand({"cache", "list"}).errors, HasSubstr("which object cache?"));
  EXPECT_THAT(RunCommand({"cache", "list", "--object-cache-dir=/no/such"}).errors,
              HasSubstr("No such file"));
  EXPECT_THAT(RunCommand({"precompile", program_}).errors, HasSubstr("needs an object cache"));
}

// Two machines are two processes with directories of their own.
TEST_F(CacheCommandTest, MachinesThatShareAServerCompileOnce) {
  RedisServer server;
  const std::string key = ::testing::TempDir() + "/key";
  std::ofstream(key) << "a secret\n";
  const std::vector<std::string> shared = {"--object-cache=" + server.Url(),
                                           "--object-cache-key-file=" + key, "--stats"};
  const auto run_on = [&](const std::string& machine) {
    std::vector<std::string> arguments = shared;
    arguments.push_back(option_ + machine);
    arguments.push_back(program_);
    return RunCommand(arguments);
  };
  llvm::sys::fs::remove_directories(directory_ + "1");
  llvm::sys::fs::remove_directories(directory_ + "2");
  EXPECT_THAT(run_on("1").errors, Compiled(2));
  const testing::ProcessResult second = run_on("2");
  EXPECT_EQ(second.output, "hello\n");
  EXPECT_THAT(second.errors, AllOf(Compiled(0), Not(HasSubstr("warning"))));
  server.Kill();
  const testing::ProcessResult alone = run_on("2");
  EXPECT_EQ(alone.output, "hello\n");
  EXPECT_THAT(alone.errors, Compiled(0));
}

TEST_F(CacheCommandTest, ServersThatCannotBeUsedAreRefusedOrAWarning) {
  EXPECT_THAT(RunCommand({"--object-cache=ftp://h", program_}).errors,
              HasSubstr("none of https://, http://, rediss:// and redis://"));
  EXPECT_THAT(RunCommand({"--object-cache=http://h", program_}).errors,
              HasSubstr("others can read and change what http:// carries"));
  EXPECT_EQ(RunCommand({"--object-cache=http://h", "--object-cache-setting=ca", program_}).errors,
            "firstcall: option '--object-cache-setting' needs NAME=VALUE\n");
  EXPECT_EQ(RunCommand({"--object-cache-setting=read-only=yes", program_}).errors,
            "firstcall: option '--object-cache-setting' needs --object-cache\n");
  EXPECT_THAT(
      RunCommand({"--object-cache=redis://h", "--object-cache-setting=ca-file=c", program_}).errors,
      HasSubstr("no setting 'ca-file'"));
  EXPECT_THAT(
      RunCommand({"--object-cache=redis://h", "--object-cache-key-file=/no/such", program_}).errors,
      HasSubstr("cannot read '/no/such'"));
  const testing::ProcessResult result =
      RunCommand({"--object-cache=redis://127.0.0.1:1", program_});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output, "hello\n");
  EXPECT_THAT(result.errors, HasSubstr("firstcall: warning: object cache 'redis://127.0.0.1:1/0'"));
}

TEST_F(CacheCommandTest, PrecompileLeavesNothingToCompile) {
  const testing::ProcessResult done =
      RunCommand({"precompile", option_, "--compile-threads=2", program_});
  EXPECT_EQ(done.exit_status, 0);
  EXPECT_EQ(done.output, "3 of 3 functions compiled\n");
  EXPECT_EQ(done.errors, "");
  const testing::ProcessResult run = RunCommand({option_, "--stats", program_, "argument"});
  EXPECT_EQ(run.exit_status, 7);
  EXPECT_EQ(run.output, "hello\n");
  EXPECT_THAT(run.errors, Compiled(0));
}

TEST_F(CacheCommandTest, PrecompileTakesAList) {
  const std::string list = ::testing::TempDir() + "/list";
  std::ofstream(list) << "main\n";
  EXPECT_EQ(RunCommand({"precompile", option_, "--functions=" + list, program_}).output,
            "1 of 1 functions compiled\n");
  EXPECT_THAT(RunCommand({option_, "--stats", program_}).errors, Compiled(1));
  std::ofstream(list) << "main\nno_such_function\n";
  const testing::ProcessResult wrong =
      RunCommand({"precompile", option_, "--functions=" + list, program_});
  EXPECT_EQ(wrong.exit_status, 1);
  EXPECT_THAT(wrong.errors, HasSubstr("no_such_function"));
}

// A program whose function `work` gets hot.
constexpr char kHotProgram[] = R"(
  define internal i64 @work(i64 %x) noinline {
    %y = mul i64 %x, 3
    ret i64 %y
  }
  define i32 @main() {
  entry:
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %next, %loop ]
    %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
    %r = call i64 @work(i64 %i)
    %more = add i64 %sum, %r
    %next = add i64 %i, 1
    %on = icmp slt i64 %next, 10000
    br i1 %on, label %loop, label %end
  end:
    %three = trunc i64 %sum to i32
    %status = and i32 %three, 63
    ret i32 %status
  })";

TEST_F(CacheCommandTest, OptimizedBodiesAreKeptShownAndListed) {
  const std::string program = ::testing::TempDir() + "/hot.ll";
  const std::string list = ::testing::TempDir() + "/hot functions";
  std::ofstream(program) << kHotProgram;
  const std::vector<std::string> run = {option_,
                                        "--stats",
                                        "--promotion-threads=0",
                                        "--promotion-threshold=100",
                                        "--write-hot-functions=" + list,
                                        program};
  const testing::ProcessResult cold = RunCommand(run);
  EXPECT_EQ(cold.exit_status, 59);
  EXPECT_THAT(cold.errors, ContainsRegex("promotions cached +0\n"));
  const testing::ProcessResult warm = RunCommand(run);
  EXPECT_EQ(warm.exit_status, 59);
  EXPECT_THAT(warm.errors, AllOf(Compiled(0), ContainsRegex("promotions made +0\n"),
                                 ContainsRegex("promotions cached +2\n")));
  std::ifstream in(list);
  const std::string names((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_THAT(names, AllOf(HasSubstr("work$0\n"), HasSubstr("main\n")));
  const testing::ProcessResult shown = RunCommand({"cache", "show", option_});
  EXPECT_THAT(shown.output,
              AllOf(ContainsRegex("[0-9]+  optimized body [0-9]+ .*work[$][0-9]+\n"),
                    ContainsRegex("[0-9]+  continuation [0-9]+ at loop [0-9]+ .*main")));
  EXPECT_THAT(RunCommand({"cache", "list", option_}).output, ContainsRegex(" [12] optimized "));
  EXPECT_THAT(RunCommand({"cache", "verify", option_}).output, HasSubstr(" is sound"));

  llvm::sys::fs::remove_directories(directory_);
  const testing::ProcessResult done = RunCommand({"precompile", option_, "--promotion-threads=0",
                                                  "--optimized", "--functions=" + list, program});
  EXPECT_EQ(done.exit_status, 0) << done.errors;
  EXPECT_EQ(done.output, "2 of 2 functions compiled\n2 optimized bodies made\n");
  EXPECT_THAT(RunCommand(run).errors, AllOf(Compiled(0), ContainsRegex("promotions made +0\n"),
                                            ContainsRegex("promotions cached +2\n")));
}

// Eight functions that get hot, and `main`, which calls one of them in each iteration of a loop, so
// that none of them is compiled along with it. `small` is inlined into the fifth one.
std::string ManyHotFunctions(const std::string& of_small, const std::string& of_sixth) {
  std::string text = "define internal i64 @small(i64 %x) alwaysinline {\n  %r = add i64 %x, " +
                     of_small + "\n  ret i64 %r\n}\n";
  std::string cases, calls, results;
  for (int i = 0; i < 8; ++i) {
    const std::string number = std::to_string(i);
    text += "define internal i64 @f" + number + "(i64 %x) noinline {\n  %y = mul i64 %x, " +
            (i == 5 ? of_sixth : "3") +
            "\n  %z = " + (i == 4 ? "call i64 @small(i64 %y)" : "add i64 %y, " + number) +
            "\n  ret i64 %z\n}\n";
    cases += " i64 " + number + ", label %l" + number;
    calls += "  l" + number + ":\n    %r" + number + " = call i64 @f" + number +
             "(i64 %sum)\n    br label %called\n";
    results += ", [ %r" + number + ", %l" + number + " ]";
  }
  return text + R"(
  define i32 @main() {
  entry:
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %next, %called ]
    %sum = phi i64 [ 1, %entry ], [ %r, %called ]
    %which = and i64 %i, 7
    switch i64 %which, label %called [)" +
         cases + " ]\n" + calls + "  called:\n    %r = phi i64 [ 0, %loop ]" + results + R"(
    %next = add i64 %i, 1
    %on = icmp slt i64 %next, 5000
    br i1 %on, label %loop, label %end
  end:
    %low = and i64 %r, 63
    %status = trunc i64 %low to i32
    ret i32 %status
  })";
}

// The source is changed, the frame is not (docs/adr/0029-functions-of-an-earlier-version.md). What
// calls a function knows something of it (docs/adr/0067-a-function-knows-its-neighbours.md).
TEST_F(CacheCommandTest, AfterAChangeOnlyThatAndWhatKnewOfItIsCompiled) {
  const std::string program = ::testing::TempDir() + "/many_hot.bc";
  const auto run = [&](const std::string& of_small, const std::string& of_sixth) {
    std::ofstream(program, std::ios::binary)
        << ParseToBitcode(ManyHotFunctions(of_small, of_sixth));
    return RunCommand(
        {option_, "--stats", "--promotion-threads=0", "--promotion-threshold=100", program});
  };
  const auto promoted = [](int made, int cached) {
    return AllOf(ContainsRegex("promotions made +" + std::to_string(made) + "\n"),
                 ContainsRegex("promotions cached +" + std::to_string(cached) + "\n"));
  };
  const auto is_warm = AllOf(Compiled(0), promoted(0, 9));
  const testing::ProcessResult first = run("100", "5");
  EXPECT_THAT(first.errors, Compiled(9));
  const testing::ProcessResult second = run("100", "5");
  EXPECT_THAT(second.errors, is_warm);
  EXPECT_EQ(second.exit_status, first.exit_status);
  const testing::ProcessResult changed = run("100", "7");
  EXPECT_THAT(changed.errors, AllOf(Compiled(1), promoted(2, 7)));
  EXPECT_THAT(run("100", "7").errors, is_warm);
  const testing::ProcessResult inlined = run("200", "7");
  EXPECT_THAT(inlined.errors, AllOf(Compiled(1), promoted(2, 7)));
  EXPECT_THAT(run("200", "7").errors, is_warm);
  // The same programs, without what is left of their earlier versions.
  llvm::sys::fs::remove_directories(directory_);
  EXPECT_EQ(changed.exit_status, run("100", "7").exit_status);
  llvm::sys::fs::remove_directories(directory_);
  EXPECT_EQ(inlined.exit_status, run("200", "7").exit_status);
}

TEST_F(CacheCommandTest, OptimizedBodiesNeedTheTierThatUsesThem) {
  EXPECT_THAT(RunCommand({"precompile", option_, "--optimized", "--tier=1", program_}).errors,
              HasSubstr("--optimized is for --tier=auto"));
  EXPECT_THAT(RunCommand({"--write-hot-functions=/no/such/file", program_}).errors,
              HasSubstr("writing hot functions to '/no/such/file'"));
}

TEST_F(CacheCommandTest, PrecompileKeepsWhatItCan) {
  const std::string program = ::testing::TempDir() + "/missing.ll";
  std::ofstream(program) << kProgram << R"(
    declare void @no_such_symbol()
    define void @broken() {
      call void @no_such_symbol()
      ret void
    })";
  const testing::ProcessResult done = RunCommand({"precompile", option_, program});
  EXPECT_EQ(done.exit_status, 1);
  EXPECT_EQ(done.output, "3 of 4 functions compiled\n");
  EXPECT_THAT(done.errors, HasSubstr("no_such_symbol"));
  EXPECT_THAT(RunCommand({option_, "--stats", program}).errors, Compiled(0));
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return 2;
  firstcall::command_path = argv[1];
  return RUN_ALL_TESTS();
}

// --isolate: what the user sees of a program that runs in a process of its own. The command's path
// is the only argument.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"
#include "tests/testing/mdwe.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string command_path;

std::string Write(const std::string& name, const std::string& contents) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << contents;
  return path;
}

testing::ProcessResult RunCommand(std::vector<std::string> arguments,
                                  const std::string& input = "") {
  arguments.insert(arguments.begin(), command_path);
  return testing::RunProcess(arguments, input);
}

// Copies its input to its output, and returns 40 plus the number of its arguments.
constexpr char kCopy[] = R"(
  declare i32 @getchar()
  declare i32 @putchar(i32)
  define i32 @main(i32 %argc, ptr %argv) {
  entry:
    br label %loop
  loop:
    %c = call i32 @getchar()
    %end = icmp eq i32 %c, -1
    br i1 %end, label %done, label %copy
  copy:
    call i32 @putchar(i32 %c)
    br label %loop
  done:
    %status = add i32 %argc, 40
    ret i32 %status
  })";

// Returns 7 if it finds a variable that only the command's two programs should see.
constexpr char kLooksForMark[] = R"(
  @mark = constant [22 x i8] c"FIRSTCALL_ISOLATED_BY\00"
  declare ptr @getenv(ptr)
  define i32 @main() {
    %value = call ptr @getenv(ptr @mark)
    %is_there = icmp ne ptr %value, null
    %status = select i1 %is_there, i32 7, i32 0
    ret i32 %status
  })";

constexpr char kLoops[] = R"(
  define i32 @main() {
    br label %loop
  loop:
    br label %loop
  })";

constexpr char kAborts[] = R"(
  declare void @abort()
  define i32 @main() {
    call void @abort()
    unreachable
  })";

// Says that it runs, and then waits until it is ended.
constexpr char kWaits[] = R"(
  declare i64 @write(i32, ptr, i64)
  declare i32 @pause()
  @text = constant [1 x i8] c"r"
  define i32 @main() {
    call i64 @write(i32 1, ptr @text, i64 1)
    br label %loop
  loop:
    call i32 @pause()
    br label %loop
  })";

// Returns 9 if it cannot have 2 GiB.
constexpr char kAllocates[] = R"(
  declare ptr @calloc(i64, i64)
  @kept = global ptr null
  define i32 @main() {
    %memory = call ptr @calloc(i64 1, i64 2147483648)
    store ptr %memory, ptr @kept
    %is_refused = icmp eq ptr %memory, null
    %status = select i1 %is_refused, i32 9, i32 0
    ret i32 %status
  })";

TEST(IsolationTest, StreamsArgumentsAndTheStatusPass) {
  const std::string program = Write("copy.ll", kCopy);
  const testing::ProcessResult plain = RunCommand({program, "a", "b"}, "some\ntext");
  const testing::ProcessResult isolated =
      RunCommand({"--isolate", program, "a", "b"}, "some\ntext");
  EXPECT_EQ(isolated, plain);
  EXPECT_EQ(isolated.exit_status, 43);
  EXPECT_EQ(isolated.output, "some\ntext");
}

TEST(IsolationTest, StandardInputMayBeTheProgram) {
  EXPECT_EQ(RunCommand({"--isolate", "-"}, kLooksForMark).exit_status, 0);
}

TEST(IsolationTest, ASecondRunFromTheCacheIsIsolatedToo) {
  const std::string cache = absl::StrCat("--object-cache-dir=", ::testing::TempDir(), "/cache");
  const std::string program = Write("copy.ll", kCopy);
  const std::vector<std::string> arguments = {cache, "--isolate", program};
  EXPECT_EQ(RunCommand(arguments, "x").exit_status, 41);
  EXPECT_EQ(RunCommand(arguments, "x").exit_status, 41);
  const std::string loops = Write("loops.ll", kLoops);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(RunCommand({cache, "--isolate-timeout=0.3", loops}).exit_status, 124);
  }
}

TEST(IsolationTest, TheProgramDoesNotSeeHowItIsIsolated) {
  const testing::ProcessResult result = RunCommand({"--isolate", Write("mark.ll", kLooksForMark)});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.errors, IsEmpty());
}

TEST(IsolationTest, AMarkFromElsewhereIsolatesNothing) {
  setenv("FIRSTCALL_ISOLATED_BY", "1", /*replace=*/1);
  const testing::ProcessResult result = RunCommand({"--isolate", Write("aborts.ll", kAborts)});
  unsetenv("FIRSTCALL_ISOLATED_BY");
  EXPECT_THAT(result.errors, HasSubstr("firstcall: the isolated program was ended by signal 6"));
}

TEST(IsolationTest, ASignalIsReported) {
  const testing::ProcessResult result = RunCommand({"--isolate", Write("aborts.ll", kAborts)});
  EXPECT_EQ(result.exit_status, 128 + SIGABRT);
  EXPECT_THAT(result.errors,
              HasSubstr("firstcall: the isolated program was ended by signal 6 (Aborted)\n"));
}

TEST(IsolationTest, TheTimeLimitEndsTheProgram) {
  const testing::ProcessResult result =
      RunCommand({"--isolate-timeout=0.5", Write("loops.ll", kLoops)});
  EXPECT_EQ(result.exit_status, 124);
  EXPECT_EQ(result.errors, "firstcall: the isolated program was ended after 500ms\n");
}

TEST(IsolationTest, TheMemoryLimitHoldsForTheProgram) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not limit memory";
  if (kSanitizerTakesMemory) GTEST_SKIP() << "a sanitizer has more memory than the limit";
  const std::string program = Write("allocates.ll", kAllocates);
  EXPECT_EQ(RunCommand({"--isolate", program}).exit_status, 0);
  const testing::ProcessResult result = RunCommand({"--isolate-memory=1024", program});
  EXPECT_EQ(result.exit_status, 9);
  EXPECT_THAT(result.errors, IsEmpty());
}

TEST(IsolationTest, NeedsNoMemoryThatIsWritableAndExecutable) {
  const std::string program = Write("copy.ll", kCopy);
  const std::string cache = absl::StrCat("--object-cache-dir=", ::testing::TempDir(), "/mdwe");
  const std::optional<int> failures = RunUnderMdwe([&] {
    int failures = 0;
    // The cache is empty at first, and then it is not.
    for (const std::string option : {"--tier=auto", "-O2", "--mode=eager"}) {
      for (const std::string& other : {std::string("--stats"), cache, cache}) {
        const testing::ProcessResult result =
            RunCommand({"--isolate", option, other, program}, "some text");
        if (result.exit_status != 41 || result.output != "some text") ++failures;
      }
    }
    return failures;
  });
  if (!failures) GTEST_SKIP() << kNoMdwe;
  EXPECT_EQ(failures, 0);
}

TEST(IsolationTest, AnInterruptEndsTheProgram) {
  const std::string program = Write("waits.ll", kWaits);
  int output[2];
  ASSERT_EQ(pipe(output), 0);
  const pid_t process = testing::StartProcess({command_path, "--isolate", program},
                                              [&] { dup2(output[1], STDOUT_FILENO); });
  ASSERT_GE(process, 0);
  close(output[1]);
  char byte = 0;
  ASSERT_EQ(read(output[0], &byte, 1), 1);
  kill(process, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
  EXPECT_EQ(read(output[0], &byte, 1), 0) << "the program is still there";
  close(output[0]);
}

TEST(IsolationTest, BadLimitsAreRefused) {
  const std::string program = Write("copy.ll", kCopy);
  for (const std::string option : {"--isolate-timeout=0", "--isolate-timeout=-1",
                                   "--isolate-timeout=nan", "--isolate-memory=0"}) {
    const testing::ProcessResult result = RunCommand({option, program});
    EXPECT_EQ(result.exit_status, 1) << option;
    EXPECT_THAT(result.errors,
                AllOf(StartsWith("firstcall: option '--isolate-"), HasSubstr("needs a ")));
  }
}

TEST(IsolationTest, LlisOptionsIsolate) {
  const std::string program = Write("aborts.ll", kAborts);
  const testing::ProcessResult result = RunCommand(
      {"-jit-kind=mcjit", "-remote-mcjit", "-mcjit-remote-process=lli-child-target", program});
  EXPECT_EQ(result.exit_status, 128 + SIGABRT);
  EXPECT_THAT(result.errors, HasSubstr("the isolated program was ended by signal 6"));
  // lli says the same.
  const testing::ProcessResult refused = RunCommand({"-remote-mcjit", program});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_EQ(refused.errors, "firstcall: error: -remote-mcjit requires -mcjit-remote-process.\n");
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return 2;
  firstcall::command_path = argv[1];
  return RUN_ALL_TESTS();
}

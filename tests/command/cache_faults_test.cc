// What happens to a cache while the whole command uses it: many processes begin at once, some are
// killed, the disk is full, libraries lie elsewhere, the CPU is another one. The program never does
// anything else than without a cache, and the next start has a cache that is sound.
//
//   cache_faults_test COMMAND [--processes=N] [--kills=N]

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string command;
int processes = kSanitizerTakesMemory ? 10 : 50;
int kills = 20;

constexpr int kFunctions = 12;

// Prints a line, and ends with status 3. The functions call each other under a condition, so that
// each has an object of its own.
std::string Program() {
  std::string text = R"(
    @text = private constant [16 x i8] c"it is %ld, %s.\0A\00"
    @path = private constant [5 x i8] c"PATH\00"
    declare i32 @printf(ptr, ...)
    declare ptr @getenv(ptr)
    declare i64 @strlen(ptr))";
  for (int i = 0; i < kFunctions; ++i) {
    absl::StrAppend(&text, "\ndefine i64 @f", i, "(i64 %x) noinline {\n  %c = icmp eq i64 %x, 77\n",
                    "  br i1 %c, label %end, label %call\ncall:\n  %z = ",
                    i + 1 < kFunctions ? absl::StrCat("call i64 @f", i + 1, "(i64 %x)")
                                       : "call i64 @strlen(ptr @path)",
                    "\n  br label %end\nend:\n  %y = phi i64 [ 7, %0 ], [ %z, %call ]\n",
                    "  %r = add i64 %y, ", i, "\n  ret i64 %r\n}");
  }
  return text + R"(
    define i32 @main() {
      %n = call i64 @f0(i64 5)
      %p = call i32 (ptr, ...) @printf(ptr @text, i64 %n, ptr @path)
      ret i32 3
    })";
}

constexpr char kOutput[] = "it is 70, PATH.\n";

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class CacheFaultsTest : public ::testing::Test {
 protected:
  CacheFaultsTest()
      : directory_(absl::StrCat(::testing::TempDir(), "/",
                                ::testing::UnitTest::GetInstance()->current_test_info()->name())),
        option_("--object-cache-dir=" + directory_),
        program_(::testing::TempDir() + "/faults.bc") {
    std::filesystem::remove_all(directory_);
    std::ofstream(program_, std::ios::binary) << ParseToBitcode(Program());
  }

  // A start, behind the words of `before`.
  testing::ProcessResult Start(const std::vector<std::string>& before = {}) const {
    std::vector<std::string> start = {command, option_, "--stats", program_};
    if (!before.empty()) start = OnThisMachine(std::move(start));
    start.insert(start.begin(), before.begin(), before.end());
    return testing::RunProcess(start);
  }

  static void ExpectResult(const testing::ProcessResult& result) {
    EXPECT_EQ(result.exit_status, 3) << result.errors;
    EXPECT_EQ(result.output, kOutput);
  }

  // A start finds all that it needs, and all packs can be read.
  void ExpectSoundCache() const {
    const testing::ProcessResult start = Start();
    ExpectResult(start);
    EXPECT_THAT(start.errors,
                AllOf(ContainsRegex("functions compiled +0 "), Not(HasSubstr("warning"))));
    const testing::ProcessResult verified =
        testing::RunProcess({command, "cache", "verify", option_});
    EXPECT_EQ(verified.exit_status, 0) << verified.errors;
    EXPECT_THAT(verified.output, HasSubstr(" is sound"));
  }

  const std::string directory_;
  const std::string option_;
  const std::string program_;
};

// A shell begins all of them, and prints how each ended.
TEST_F(CacheFaultsTest, ManyStartsFillOneCacheAtOnce) {
  const std::string results = directory_ + "_results";
  std::filesystem::remove_all(results);
  std::filesystem::create_directories(results);
  const std::string count = absl::StrCat(processes);
  const testing::ProcessResult all = Start({"/bin/sh", "-c",
                                            "i=0; while [ $i -lt " + count + " ]; do \"$@\" > '" +
                                                results + "'/$i.out 2> '" + results +
                                                "'/$i.err & all=\"$all $!\"; i=$((i + 1)); done; "
                                                "for one in $all; do wait $one; echo $?; "
                                                "done",
                                            "sh"});
  std::string statuses;
  for (int i = 0; i < processes; ++i) {
    absl::StrAppend(&statuses, "3\n");
    EXPECT_EQ(Read(absl::StrCat(results, "/", i, ".out")), kOutput);
    const std::string errors = Read(absl::StrCat(results, "/", i, ".err"));
    // On a loaded machine somebody may wait for the lock in vain; nothing else may happen.
    if (!absl::StrContains(errors, "its lock")) {
      EXPECT_THAT(errors, Not(HasSubstr("warning")));
    }
  }
  EXPECT_EQ(all.output, statuses) << all.errors;
  ExpectSoundCache();
}

TEST_F(CacheFaultsTest, KilledStartsLeaveASoundCache) {
  const absl::Time begin = absl::Now();
  ExpectResult(Start());
  const int64_t longest = absl::ToInt64Microseconds(absl::Now() - begin);
  std::minstd_rand random(1);
  for (int i = 0; i < kills; ++i) {
    // Some are killed while they fill an empty cache, others while they only read.
    if (i % 4 == 0) std::filesystem::remove_all(directory_);
    const std::vector<std::string> start = OnThisMachine({command, option_, program_});
    std::vector<char*> arguments;
    for (const std::string& word : start) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    absl::SleepFor(absl::Microseconds(static_cast<int64_t>(random()) % longest));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
      EXPECT_EQ(WEXITSTATUS(status), 3);
    }
    const testing::ProcessResult next = Start();
    ExpectResult(next);
    EXPECT_THAT(next.errors, Not(HasSubstr("warning")));
  }
  ExpectSoundCache();
}

// The cache is on a disk of its own, of some pages.
TEST_F(CacheFaultsTest, AFullDiskIsAWarningAtMost) {
  std::filesystem::create_directories(directory_);
  const auto with_disk_of = [this](const std::string& size) -> std::vector<std::string> {
    return {"/usr/bin/unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "/bin/sh",
            "-c",
            absl::StrCat("mount -t tmpfs -o mode=0700,size=", size, " none '", directory_,
                         "' && exec \"$@\""),
            "sh"};
  };
  std::vector<std::string> nothing = with_disk_of("4k");
  nothing.push_back("/bin/true");
  if (testing::RunProcess(nothing).exit_status != 0) {
    GTEST_SKIP() << "the system does not let us mount anything";
  }
  for (const char* size : {"4k", "8k", "12k", "16k"}) {
    const testing::ProcessResult result = Start(with_disk_of(size));
    ExpectResult(result);
    EXPECT_THAT(result.errors,
                AllOf(HasSubstr("objects are not kept"), HasSubstr("No space left on device")))
        << size;
  }
  const testing::ProcessResult result = Start(with_disk_of("1m"));
  ExpectResult(result);
  EXPECT_THAT(result.errors, Not(HasSubstr("warning")));
}

// A cache has no address in it: neither of a library, nor of the command, nor of what was compiled.
TEST_F(CacheFaultsTest, LibrariesMayLieElsewhere) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator decides where everything lies";
  const std::vector<std::string> fixed = {"/usr/bin/setarch", "-R"};
  if (testing::RunProcess({"/usr/bin/setarch", "-R", "/bin/true"}).exit_status != 0) {
    GTEST_SKIP() << "the system does not let us switch randomization off";
  }
  for (bool begins_fixed : {false, true}) {
    std::filesystem::remove_all(directory_);
    ExpectResult(begins_fixed ? Start(fixed) : Start());
    for (bool is_fixed : {true, false, true, false}) {
      const testing::ProcessResult result = is_fixed ? Start(fixed) : Start();
      ExpectResult(result);
      EXPECT_THAT(result.errors,
                  AllOf(ContainsRegex("functions compiled +0 "), Not(HasSubstr("warning"))));
    }
  }
}

// The dynamic linker can be told to ignore a feature of the CPU: as if a machine without that
// shared the directory.
TEST_F(CacheFaultsTest, ObjectsForAnotherCpuAreNotUsed) {
#if !defined(__x86_64__) || !__has_include(<sys/platform/x86.h>)
  GTEST_SKIP() << "the dynamic linker is not asked for the CPU here";
#else
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "the CPU has nothing to ignore";
  const std::vector<std::string> on_other_cpu = {"/usr/bin/env",
                                                 "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2"};
  const auto compiles_nothing = ContainsRegex("functions compiled +0 ");
  ExpectResult(Start());
  const testing::ProcessResult other = Start(on_other_cpu);
  ExpectResult(other);
  EXPECT_THAT(other.errors, AllOf(Not(compiles_nothing), Not(HasSubstr("warning"))));
  for (const testing::ProcessResult& result : {Start(on_other_cpu), Start()}) {
    ExpectResult(result);
    EXPECT_THAT(result.errors, compiles_nothing);
  }
#endif
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  if (argc < 2) return EXIT_FAILURE;
  firstcall::command = argv[1];
  for (int i = 2; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--processes=") &&
        absl::SimpleAtoi(argument, &firstcall::processes)) {
      continue;
    }
    if (absl::ConsumePrefix(&argument, "--kills=") &&
        absl::SimpleAtoi(argument, &firstcall::kills)) {
      continue;
    }
    std::fprintf(stderr, "unknown argument '%s'\n", argv[i]);
    return 2;
  }
  return RUN_ALL_TESTS();
}

// Programs that install a seccomp filter, after which a first call may do nothing that needs the
// system; and programs whose threads end one by one.
//
//   seccomp_test COMMAND

#include <sys/syscall.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

using ::testing::AnyOf;

std::string command_path;

// Allows only reading, writing and the end of the thread, and calls a function through a pointer.
constexpr char kFiltered[] = R"(
  declare i32 @prctl(i32, ...)
  declare i64 @write(i32, ptr, i64)
  declare i64 @syscall(i64, ...)
  @text = private constant [5 x i8] c"done\0A"
  @pointer = global ptr @later
  define i64 @later(i64 %x) noinline {
  entry:
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %next, %loop ]
    %sum = phi i64 [ %x, %entry ], [ %more, %loop ]
    %more = mul i64 %sum, 31
    %next = add i64 %i, 1
    %is_end = icmp eq i64 %next, 100
    br i1 %is_end, label %end, label %loop
  end:
    ret i64 %more
  }
  define i32 @main() {
    %error = call i32 (i32, ...) @prctl(i32 22, i64 1)
    %function = load volatile ptr, ptr @pointer
    %value = call i64 %function(i64 5)
    %written = call i64 @write(i32 1, ptr @text, i64 5)
    %never = call i64 (i64, ...) @syscall(i64 EXIT, i64 3)
    ret i32 9
  })";

class SeccompTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitizerTakesMemory) GTEST_SKIP() << "sanitizers make system calls of their own";
    if (IsEmulated()) GTEST_SKIP() << "the emulator has no filters";
  }

  static testing::ProcessResult Run(std::vector<std::string> options) {
    const std::string program = ::testing::TempDir() + "/filtered.ll";
    std::ofstream(program) << absl::StrReplaceAll(kFiltered, {{"EXIT", std::to_string(SYS_exit)}});
    options.insert(options.begin(), {command_path, "--no-object-cache"});
    options.push_back(program);
    return testing::RunProcess(options);
  }
};

TEST_F(SeccompTest, WhatIsCompiledBeforeRuns) {
  const std::vector<std::vector<std::string>> all_options = {
      {"--prepare-all"},
      {"--prepare-all", "--tier=1"},
      {"--prepare-all", "-O2"},
      {"--prepare-all", "--compile-threads=2"},
      {"--prepare-all", "--isolate"},
      {"--mode=eager"},
      {"--mode=eager", "--compile-threads=2"},
  };
  for (const std::vector<std::string>& options : all_options) {
    const testing::ProcessResult result = Run(options);
    EXPECT_EQ(result.output, "done\n") << ::testing::PrintToString(options);
    EXPECT_EQ(result.exit_status, 3) << ::testing::PrintToString(options) << result.errors;
  }
}

// The process ends, also if it has threads that the filter does not end. (The strict filter forbids
// system calls, and on x86-64 to read the time from the processor, which is a fault.)
TEST_F(SeccompTest, AFirstCallEndsTheProcessByTheFilter) {
  for (const char* option : {"--tier=0", "--tier=1", "--compile-threads=2"}) {
    const testing::ProcessResult result = Run({option});
    EXPECT_EQ(result.output, "") << option;
    EXPECT_THAT(result.exit_status, AnyOf(128 + SIGKILL, 128 + SIGSEGV)) << option;
  }
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  if (argc < 2) return EXIT_FAILURE;
  firstcall::command_path = argv[1];
  return RUN_ALL_TESTS();
}

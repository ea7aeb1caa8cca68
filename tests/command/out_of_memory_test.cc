// What becomes of the command if the process may have only so much memory. Its path is the only
// argument.

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

std::string command_path;

constexpr size_t kMost = size_t{16} << 20;  // KiB; enough for anything here.

// A program that says "done".
constexpr char kProgram[] = R"(
  @text = constant [5 x i8] c"done\00"
  declare i32 @puts(ptr)
  define i32 @say(ptr %what) { %r = call i32 @puts(ptr %what) ret i32 0 }
  define i32 @main() { %r = call i32 @say(ptr @text) ret i32 %r })";

class OutOfMemoryTest : public ::testing::Test {
 protected:
  static std::string Write(const std::string& name, const std::string& contents) {
    const std::string path = ::testing::TempDir() + "/" + name;
    std::ofstream(path, std::ios::binary) << contents;
    return path;
  }

  static testing::ProcessResult RunWithin(size_t kib, const std::string& program) {
    return testing::RunProcess(
        {"/bin/sh", "-c", "ulimit -c 0; ulimit -v \"$0\" || exit 126; exec \"$@\"",
         std::to_string(kib), command_path, program},
        "");
  }

  static bool Succeeds(const testing::ProcessResult& result) {
    return result.exit_status == 0 && result.output == "done\n" && result.errors.empty();
  }

  // Ended as the documentation says, with one line of the command's own.
  static bool IsRefused(const testing::ProcessResult& result) {
    if (result.errors.rfind("firstcall: ", 0) != 0 ||
        result.errors.find('\n') != result.errors.size() - 1) {
      return false;
    }
    return result.exit_status == 1 || result.exit_status == 70 ||
           (result.exit_status == 71 && result.errors == "firstcall: out of memory\n");
  }

  // The least memory with which `is_enough` says so, or a little more.
  template <typename Predicate>
  static size_t FindLeast(size_t step, Predicate is_enough) {
    size_t too_little = 0, enough = kMost;
    while (enough - too_little > step) {
      const size_t middle = (too_little + enough) / 2;
      (is_enough(middle) ? enough : too_little) = middle;
    }
    return enough;
  }
};

// Libraries are loaded and their static objects made before the command itself begins. So a limit
// counts if the command can say at least that it cannot read a file.
TEST_F(OutOfMemoryTest, EveryLimitEndsWithAReason) {
  if (IsEmulated()) GTEST_SKIP() << "the limit would be the emulator's";
  const std::string program = Write("done.bc", ParseToBitcode(kProgram));
  const auto begins = [](size_t kib) { return IsRefused(RunWithin(kib, "/no/such.bc")); };
  const auto succeeds = [&](size_t kib) { return Succeeds(RunWithin(kib, program)); };
  ASSERT_TRUE(succeeds(kMost));
  const size_t least_to_begin = FindLeast(64, begins);
  const size_t least_to_succeed = FindLeast(64, succeeds);
  ASSERT_LT(least_to_begin, least_to_succeed);
  std::vector<size_t> limits;
  for (size_t i = 0; i < 48; ++i) {
    limits.push_back(least_to_begin + i * 64);
    limits.push_back(least_to_succeed - i * 64);
    limits.push_back(least_to_begin + i * (least_to_succeed - least_to_begin) / 48);
  }
  size_t refused = 0;
  for (size_t kib : limits) {
    const testing::ProcessResult result = RunWithin(kib, program);
    if (Succeeds(result)) continue;
    ++refused;
    EXPECT_TRUE(IsRefused(result) || !begins(kib)) << kib << " KiB: " << result;
  }
  EXPECT_GT(refused, 48u);
}

// What the program asks for is its own affair, also where LLVM was loaded for inline assembly.
TEST_F(OutOfMemoryTest, TheProgramsOwnNewThrows) {
  if (IsEmulated()) GTEST_SKIP() << "the limit would be the emulator's";
  for (const char* assembly : {"", "nop\\0Anop"}) {
    const std::string program = Write("throws.bc", ParseToBitcode(absl::Substitute(R"(
      declare ptr @_Znwm(i64)
      declare i32 @__gxx_personality_v0(...)
      define i32 @main() personality ptr @__gxx_personality_v0 {
        call void asm sideeffect "$0", ""()
        %p = invoke ptr @_Znwm(i64 4611686018427387904) to label %got unwind label %caught
      got:
        ret i32 1
      caught:
        %exception = landingpad { ptr, i32 } catch ptr null
        ret i32 5
      })",
                                                                                   assembly)));
    const testing::ProcessResult result = RunWithin(kMost, program);
    EXPECT_EQ(result.exit_status, 5) << assembly << result;
  }
}

// Also a handler that the program has set before LLVM was loaded.
TEST_F(OutOfMemoryTest, TheProgramsOwnHandlerIsCalled) {
  if (IsEmulated()) GTEST_SKIP() << "the limit would be the emulator's";
  const std::string program = Write("handles.bc", ParseToBitcode(R"(
    declare ptr @_ZSt15set_new_handlerPFvvE(ptr)
    declare ptr @_Znwm(i64)
    declare void @_exit(i32)
    define void @handle() { call void @_exit(i32 6) unreachable }
    define ptr @allocate() noinline {
      call void asm sideeffect "nop\0Anop", ""()
      %p = call ptr @_Znwm(i64 4611686018427387904)
      ret ptr %p
    }
    define i32 @main() {
      %before = call ptr @_ZSt15set_new_handlerPFvvE(ptr @handle)
      %p = call ptr @allocate()
      ret i32 1
    })"));
  const testing::ProcessResult result = RunWithin(kMost, program);
  EXPECT_EQ(result.exit_status, 6) << result;
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  firstcall::command_path = argv[1];
  return RUN_ALL_TESTS();
}

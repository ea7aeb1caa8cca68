// Programs that close all descriptors, as daemons do, and open files of their own under the same
// numbers: the command neither writes to these nor reads them, and loses nothing.
//
//   closed_descriptors_test COMMAND

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/services/server/server_process.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string command_path;

// Its argument is a file, which it opens after it has closed all others, and then under all numbers
// up to 199. With another argument it changes the working directory first. It makes the first calls
// of eight functions, the last of which gets hot, and looks whether the file has changed. It prints
// the first number; the status says what was wrong.
std::string Program() {
  std::string text = R"(
    @format = private constant [4 x i8] c"%d\0A\00"
    declare i32 @close_range(i32, i32, i32)
    declare i32 @open(ptr, i32, ...)
    @root = private constant [2 x i8] c"/\00"
    declare i32 @chdir(ptr)
    declare i32 @dup2(i32, i32)
    declare i32 @fcntl(i32, i32, ...)
    declare i64 @lseek(i32, i64, i32)
    declare i32 @printf(ptr, ...)
    define void @take(i32 %file) {
      br label %loop
    loop:
      %i = phi i32 [ 3, %0 ], [ %next, %loop ]
      %same = call i32 @dup2(i32 %file, i32 %i)
      %next = add i32 %i, 1
      %more = icmp slt i32 %next, 200
      br i1 %more, label %loop, label %end
    end:
      ret void
    }
    define i32 @count_closed() {
      br label %loop
    loop:
      %i = phi i32 [ 3, %0 ], [ %next, %loop ]
      %count = phi i32 [ 0, %0 ], [ %new_count, %loop ]
      %flags = call i32 (i32, i32, ...) @fcntl(i32 %i, i32 1)
      %closed = icmp slt i32 %flags, 0
      %one = zext i1 %closed to i32
      %new_count = add i32 %count, %one
      %next = add i32 %i, 1
      %more = icmp slt i32 %next, 200
      br i1 %more, label %loop, label %end
    end:
      ret i32 %new_count
    }
    define i64 @f8(i64 %x) noinline {
      br label %loop
    loop:
      %i = phi i64 [ %x, %0 ], [ %next, %loop ]
      %next = add i64 %i, 1
      %more = icmp slt i64 %next, 10000000000
      br i1 %more, label %loop, label %end
    end:
      ret i64 %next
    })";
  for (int i = 0; i < 8; ++i) {
    absl::StrAppend(&text, "\ndefine i64 @f", i, "(i64 %x) noinline {\n",
                    "  %c = icmp eq i64 %x, 77\n  br i1 %c, label %end, label %call\ncall:\n",
                    "  %z = call i64 @f", i + 1, "(i64 %x)\n  br label %end\nend:\n",
                    "  %y = phi i64 [ 7, %0 ], [ %z, %call ]\n  ret i64 %y\n}");
  }
  return text + R"(
    define i32 @main(i32 %argc, ptr %argv) {
      %moves = icmp sgt i32 %argc, 2
      br i1 %moves, label %move, label %begin
    move:
      %moved = call i32 @chdir(ptr @root)
      br label %begin
    begin:
      %closed = call i32 @close_range(i32 3, i32 -1, i32 0)
      %place = getelementptr ptr, ptr %argv, i64 1
      %path = load ptr, ptr %place
      %file = call i32 (ptr, i32, ...) @open(ptr %path, i32 578, i32 384)
      %printed = call i32 (ptr, ...) @printf(ptr @format, i32 %file)
      call void @take(i32 %file)
      %n = call i64 @f0(i64 5)
      %m = call i64 @f0(i64 6)
      %lost = call i32 @count_closed()
      %all_there = icmp eq i32 %lost, 0
      br i1 %all_there, label %look, label %bad
    look:
      %position = call i64 @lseek(i32 %file, i64 0, i32 1)
      %size = call i64 @lseek(i32 %file, i64 0, i32 2)
      %both = or i64 %position, %size
      %same = icmp eq i64 %both, 0
      %status = select i1 %same, i32 0, i32 1
      ret i32 %status
    bad:
      ret i32 2
    })";
}

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class ClosedDescriptorsTest : public ::testing::Test {
 protected:
  ClosedDescriptorsTest()
      : directory_(absl::StrCat(::testing::TempDir(), "/",
                                ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
    std::ofstream(directory_ + "/program.ll") << Program();
  }

  // The program ends as it does alone, and its file is empty.
  testing::ProcessResult Run(std::vector<std::string> options, bool moves = false) const {
    options.insert(options.begin(), {command_path, "--stats"});
    options.insert(options.end(), {directory_ + "/program.ll", directory_ + "/own"});
    if (moves) options.push_back("move");
    testing::ProcessResult result = testing::RunProcess(options);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(result.output, "3\n");
    EXPECT_EQ(Read(directory_ + "/own"), "");
    EXPECT_THAT(result.errors, Not(HasSubstr("warning")));
    return result;
  }

  const std::string directory_;
};

TEST_F(ClosedDescriptorsTest, TheCacheIsOpenedAgain) {
  const std::string cache = "--object-cache-dir=" + directory_ + "/cache";
  // The second start may still store what was optimized.
  Run({cache});
  Run({cache});
  EXPECT_THAT(Run({cache}).errors, ContainsRegex("functions compiled +0 "));
}

TEST_F(ClosedDescriptorsTest, TheCachesPathMayBeRelative) {
  const std::filesystem::path before = std::filesystem::current_path();
  command_path = std::filesystem::absolute(command_path).string();
  std::filesystem::current_path(directory_);
  Run({"--object-cache-dir=cache"}, /*moves=*/true);
  Run({"--object-cache-dir=cache"}, /*moves=*/true);
  EXPECT_THAT(Run({"--object-cache-dir=cache"}, /*moves=*/true).errors,
              ContainsRegex("functions compiled +0 "));
  std::filesystem::current_path(before);
}

TEST_F(ClosedDescriptorsTest, FilesThatAreWrittenAreComplete) {
  const std::string trace = directory_ + "/trace.json";
  const std::string hot = directory_ + "/hot.txt";
  Run({"--no-object-cache", "--trace=" + trace, "--write-hot-functions=" + hot,
       "--report=" + directory_ + "/report.html"});
  const std::string events = Read(trace);
  EXPECT_THAT(events, AllOf(HasSubstr("f0"), HasSubstr("f8")));
  EXPECT_TRUE(absl::EndsWith(events, "]\n")) << events;
  EXPECT_EQ(Read(hot), "f8\n");
  EXPECT_THAT(Read(directory_ + "/report.html"), HasSubstr("\"name\":\"f8\""));
}

TEST_F(ClosedDescriptorsTest, ACompileServerIsAskedOverANewConnection) {
  const testing::ServerProcess server(command_path);
  Run({"--no-object-cache", "--compile-server=" + server.socket()});
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  firstcall::command_path = argv[1];
  return RUN_ALL_TESTS();
}

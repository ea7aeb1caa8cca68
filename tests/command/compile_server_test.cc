// `firstcall serve`, and the command as its client. The command's path is the only argument.

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/services/server/server_process.h"
#include "tests/testing/host.h"
#include "tests/testing/mdwe.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ServerProcess;

std::string command_path;

// Prints the lines of its memory map that name LLVM or the command's library of it, and "done".
constexpr char kProgram[] = R"(
  @path = private constant [16 x i8] c"/proc/self/maps\00"
  @mode = private constant [2 x i8] c"r\00"
  @name = private constant [5 x i8] c"LLVM\00"
  @second = private constant [10 x i8] c"_compiler\00"
  @third = private constant [15 x i8] c"firstcall-llvm\00"
  @done = private constant [5 x i8] c"done\00"
  @line = global [4096 x i8] zeroinitializer
  declare ptr @fopen(ptr, ptr)
  declare ptr @fgets(ptr, i32, ptr)
  declare ptr @strstr(ptr, ptr)
  declare i32 @printf(ptr, ...)
  declare i32 @puts(ptr)
  define void @look(ptr %name) {
    %found = call ptr @strstr(ptr @line, ptr %name)
    %is_there = icmp ne ptr %found, null
    br i1 %is_there, label %print, label %end
  print:
    %ignored = call i32 (ptr, ...) @printf(ptr @line)
    br label %end
  end:
    ret void
  }
  define i32 @main() {
  entry:
    %file = call ptr @fopen(ptr @path, ptr @mode)
    br label %loop
  loop:
    %read = call ptr @fgets(ptr @line, i32 4096, ptr %file)
    %more = icmp ne ptr %read, null
    br i1 %more, label %body, label %end
  body:
    call void @look(ptr @name)
    call void @look(ptr @second)
    call void @look(ptr @third)
    br label %loop
  end:
    %ignored = call i32 @puts(ptr @done)
    ret i32 5
  })";

class CompileServerTest : public ::testing::Test {
 protected:
  CompileServerTest() : program_(::testing::TempDir() + "/served.ll") {
    std::ofstream(program_) << kProgram;
  }

  testing::ProcessResult Run(const std::string& socket, std::vector<std::string> options = {}) {
    std::vector<std::string> command = {command_path, "--compile-server=" + socket};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back(program_);
    return testing::RunProcess(command);
  }

  const std::string program_;
};

testing::ProcessResult Serve(const std::vector<std::string>& options) {
  std::vector<std::string> command = {command_path, "serve"};
  command.insert(command.end(), options.begin(), options.end());
  return testing::RunProcess(command);
}

TEST_F(CompileServerTest, RunsAProgramWithoutLlvm) {
  const ServerProcess server(command_path);
  const testing::ProcessResult result = Run(server.socket());
  EXPECT_EQ(result.exit_status, 5) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("done\n"));
#ifdef FIRSTCALL_TEST_TWO_PROGRAMS
  EXPECT_EQ(result.output, "done\n");
#endif
}

TEST_F(CompileServerTest, TellsItsStatus) {
  const ServerProcess server(command_path);
  EXPECT_EQ(Run(server.socket()).exit_status, 5);
  const testing::ProcessResult status = Serve({"--status", "--socket=" + server.socket()});
  EXPECT_EQ(status.exit_status, 0);
  EXPECT_THAT(status.output,
              AllOf(HasSubstr("clients so far 1\n"), HasSubstr("workers that failed 0")));
  if (!IsEmulated()) {
    EXPECT_THAT(status.output, HasSubstr(absl::StrCat("pid ", server.process())));
  }
}

TEST_F(CompileServerTest, WithoutAServerTheCommandSaysSo) {
  const testing::ProcessResult result = Run("/no/such/socket");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors,
              HasSubstr("firstcall: connecting to the compile server '/no/such/socket': "));
  EXPECT_THAT(Serve({"--status", "--socket=/no/such/socket"}).errors,
              HasSubstr("connecting to the compile server '/no/such/socket': "));
}

TEST_F(CompileServerTest, TheCommandCompilesItselfIfThatIsAsked) {
  const testing::ProcessResult result = Run("/no/such/socket", {"--compile-server-fallback"});
  EXPECT_EQ(result.exit_status, 5) << result.errors;
}

// The program can be read only once.
TEST_F(CompileServerTest, TheProgramMayComeFromStandardInput) {
  const auto run = [](const std::string& socket) {
    return testing::RunProcess({command_path, "--compile-server=" + socket,
                                "--compile-server-fallback", "--no-object-cache", "-"},
                               kProgram);
  };
  const ServerProcess server(command_path);
  for (const std::string& socket : {server.socket(), std::string("/no/such/socket")}) {
    const testing::ProcessResult result = run(socket);
    EXPECT_EQ(result.exit_status, 5) << socket << ": " << result.errors;
    EXPECT_EQ(result.errors, "") << socket;
  }
}

TEST_F(CompileServerTest, AnotherServerAtTheSameSocketIsRefused) {
  const ServerProcess server(command_path);
  const testing::ProcessResult result = Serve({"--socket=" + server.socket()});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("another server listens there"));
  EXPECT_EQ(Run(server.socket()).exit_status, 5);
}

TEST_F(CompileServerTest, TheSocketOfAKilledServerIsTakenOver) {
  ServerProcess server(command_path);
  server.End(SIGKILL);
  EXPECT_EQ(access(server.socket().c_str(), F_OK), 0);
  server.Start();
  EXPECT_EQ(Run(server.socket()).exit_status, 5);
}

TEST_F(CompileServerTest, TheSocketIsForItsUserAndGoesWithTheServer) {
  ServerProcess server(command_path);
  struct stat status = {};
  ASSERT_EQ(stat(server.socket().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  server.End(SIGTERM);
  EXPECT_NE(access(server.socket().c_str(), F_OK), 0);
}

TEST_F(CompileServerTest, ADirectoryThatOthersCanWriteToIsRefused) {
  char directory[] = "/tmp/firstcall_open_XXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  ASSERT_EQ(chmod(directory, 0777), 0);
  const testing::ProcessResult result = Serve({absl::StrCat("--socket=", directory, "/socket")});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("others can write to its directory"));
  EXPECT_EQ(rmdir(directory), 0);
}

TEST_F(CompileServerTest, WrongOptionsAreRefused) {
  EXPECT_THAT(Serve({"--no-such-option"}).errors, HasSubstr("unknown option '--no-such-option'"));
  EXPECT_THAT(Serve({"--socket=/tmp/s", "--workers=0"}).errors, HasSubstr("a number above 0"));
  EXPECT_THAT(Serve({"--socket=/tmp/s", "--workers=1e10"}).errors, HasSubstr("at most a billion"));
  EXPECT_THAT(Serve({"--socket=/tmp/s", "--workers=0.5"}).errors, HasSubstr("a number from 1 on"));
  EXPECT_THAT(Serve({"--help"}).output, HasSubstr("usage: firstcall serve"));
  const testing::ProcessResult full =
      testing::RunProcess({command_path, "serve", "--help"}, "",
                          [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); });
  EXPECT_EQ(full.exit_status, 1);
  EXPECT_THAT(full.errors, HasSubstr("cannot write the output"));
}

// As `systemd --user` with Accept=no: the socket is number 3, and $LISTEN_PID is the server.
TEST_F(CompileServerTest, TakesASocketThatListensAlready) {
  if (IsEmulated()) GTEST_SKIP() << "an emulator has another process number than its program";
  char directory[] = "/tmp/firstcall_passed_XXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  const std::string path = absl::StrCat(directory, "/socket");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int listening = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  ASSERT_EQ(bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listening, 8), 0);
  const pid_t server = fork();
  if (server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(listening, 3);
    setenv("LISTEN_FDS", "1", 1);
    setenv("LISTEN_PID", std::to_string(getpid()).c_str(), 1);
    execl(command_path.c_str(), command_path.c_str(), "serve", nullptr);
    _exit(127);
  }
  close(listening);
  EXPECT_EQ(Run(path).exit_status, 5);
  kill(server, SIGTERM);
  int status = -1;
  EXPECT_EQ(waitpid(server, &status, 0), server);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(access(path.c_str(), F_OK), 0);  // It is not the server's.
  unlink(path.c_str());
  rmdir(directory);
}

TEST_F(CompileServerTest, ClientServerAndWorkersNeedNoMemoryThatIsWritableAndExecutable) {
  const std::optional<int> failures = RunUnderMdwe([this] {
    const ServerProcess server(command_path);
    int failures = 0;
    for (const char* option : {"--tier=auto", "-O2", "--mode=eager", "--isolate"}) {
      if (Run(server.socket(), {option}).exit_status != 5) ++failures;
    }
    return failures;
  });
  if (!failures) GTEST_SKIP() << kNoMdwe;
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  firstcall::command_path = argc > 1 ? argv[1] : "";
  return RUN_ALL_TESTS();
}

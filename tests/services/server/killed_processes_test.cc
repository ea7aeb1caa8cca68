// Clients of a compile server, their workers and the server are killed at random instants: no
// client hangs or prints something wrong, and nothing is left behind.
//
//   killed_processes_test COMMAND [--kills=N]    15 of each kind by default

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "gtest/gtest.h"
#include "tests/programs/process.h"
#include "tests/services/server/server_process.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

using testing::ServerProcess;

int kills = 15;
std::string command_path;

constexpr int kFunctions = 60;
constexpr int kBudgetSeconds = 5;
// A client may wait for its budget a few times; a busy machine may make all of it slower.
constexpr absl::Duration kMostTime = absl::Seconds(90);

// Calls kFunctions functions, each of which adds to a sum, and prints that.
std::string WriteProgram(int seed) {
  std::string text =
      absl::StrCat("@format = private constant [4 x i8] c\"%d\\0A\\00\"\n@sum = global i32 ", seed,
                   "\ndeclare i32 @printf(ptr, ...)\n");
  for (int i = 0; i < kFunctions; ++i) {
    absl::StrAppend(&text, "define void @f", i,
                    "() {\n %a = load i32, ptr @sum\n %b = mul i32 %a, ", 2 * i + 3,
                    "\n %c = xor i32 %b, ", i * 77, "\n store i32 %c, ptr @sum\n ret void\n}\n");
  }
  absl::StrAppend(&text, "define i32 @main() {\n");
  for (int i = 0; i < kFunctions; ++i) absl::StrAppend(&text, " call void @f", i, "()\n");
  absl::StrAppend(&text,
                  " %s = load i32, ptr @sum\n call i32 (ptr, ...) @printf(ptr @format, i32 %s)\n"
                  " ret i32 0\n}\n");
  const std::string path = absl::StrCat(::testing::TempDir(), "/killed_", seed, ".ll");
  std::ofstream(path) << text;
  return path;
}

std::string ExpectedOutput(int seed) {
  uint32_t sum = static_cast<uint32_t>(seed);
  for (uint32_t i = 0; i < kFunctions; ++i) sum = (sum * (2 * i + 3)) ^ (i * 77);
  return absl::StrCat(static_cast<int32_t>(sum), "\n");
}

class Client {
 public:
  Client(const ServerProcess& server, const std::string& program, bool may_compile_itself)
      : output_(memfd_create("output", MFD_CLOEXEC)), errors_(memfd_create("errors", MFD_CLOEXEC)) {
    std::vector<std::string> command = {command_path, "--no-object-cache",
                                        "--compile-server=" + server.socket(),
                                        absl::StrCat("--compile-server-budget=", kBudgetSeconds)};
    if (may_compile_itself) command.push_back("--compile-server-fallback");
    command.push_back(program);
    process_ = testing::StartProcess(command, [this] {
      dup2(output_, STDOUT_FILENO);
      dup2(errors_, STDERR_FILENO);
    });
  }
  ~Client() {
    close(output_);
    close(errors_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  pid_t process() const { return process_; }
  std::string output() const { return Read(output_); }
  std::string errors() const { return Read(errors_); }

  // Its wait status; kills it if it does not end in time.
  int Wait() const {
    const absl::Duration deadline = SteadyNow() + kMostTime;
    int status = 0;
    while (waitpid(process_, &status, WNOHANG) == 0) {
      if (SteadyNow() > deadline) {
        ADD_FAILURE() << "a client hangs";
        kill(process_, SIGKILL);
        waitpid(process_, &status, 0);
        break;
      }
      usleep(1000);
    }
    return status;
  }

 private:
  static std::string Read(int file) {
    std::string text(static_cast<size_t>(lseek(file, 0, SEEK_END)), '\0');
    if (pread(file, text.data(), text.size(), 0) < 0) ADD_FAILURE() << "reading output";
    return text;
  }

  const int output_;
  const int errors_;
  pid_t process_ = -1;
};

class KilledProcessesTest : public ::testing::Test {
 protected:
  KilledProcessesTest() : server_(command_path) {}

  // A program that the server has not seen, so that it is compiled.
  std::string NewProgram() { return WriteProgram(++seed_); }
  std::string Expected() const { return ExpectedOutput(seed_); }

  // Some time within a run, which takes about as long as the last one did.
  void Sleep() {
    std::uniform_int_distribution<int> time(0, run_microseconds_);
    usleep(static_cast<useconds_t>(time(random_)));
  }

  void MeasureRun() {
    const absl::Duration start = SteadyNow();
    const Client client(server_, NewProgram(), false);
    EXPECT_EQ(client.Wait(), 0) << client.errors();
    EXPECT_EQ(client.output(), Expected());
    run_microseconds_ = static_cast<int>(absl::ToInt64Microseconds(SteadyNow() - start));
  }

  void ExpectRightOrAStatus(const Client& client, int status) {
    const std::string errors = client.errors();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      EXPECT_EQ(client.output(), Expected()) << errors;
      return;
    }
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status) << "\n" << errors;
    EXPECT_TRUE(absl::StrContains(errors, "compile server")) << errors;
    EXPECT_EQ(client.output(), "");
    ++failed_;
  }

  // Waits until only the worker that waits is left.
  void ExpectNothingLeft() {
    std::vector<ServerProcess::Worker> workers;
    for (int i = 0; i < 3000; ++i) {
      workers = server_.Workers();
      if (workers.size() == 1 && workers[0].client == 0) return;
      usleep(10'000);
    }
    ADD_FAILURE() << workers.size() << " workers are left";
  }

  // Sends a signal to the worker of the client with this process, or for zero to the one that
  // waits; whether there was one.
  bool SignalWorkerOf(pid_t client, int signal) {
    for (const ServerProcess::Worker& worker : server_.Workers()) {
      if (worker.client == client) return kill(worker.process, signal) == 0;
    }
    return false;
  }

  ServerProcess server_;
  std::minstd_rand random_{1};
  int seed_ = 0;
  int run_microseconds_ = 0;
  int failed_ = 0;
};

TEST_F(KilledProcessesTest, Workers) {
  MeasureRun();
  int killed = 0;
  for (int i = 0; i < kills; ++i) {
    const Client client(server_, NewProgram(), false);
    Sleep();
    if (SignalWorkerOf(client.process(), SIGKILL)) ++killed;
    ExpectRightOrAStatus(client, client.Wait());
  }
  ExpectNothingLeft();
  std::printf("%d workers killed, %d clients failed\n", killed, failed_);
  EXPECT_EQ(failed_, 0);  // Each request is tried once more.
}

TEST_F(KilledProcessesTest, WorkersThatHaveNotAnsweredYet) {
  for (int i = 0; i < kills / 3; ++i) {  // Each waits until there is another worker.
    ExpectNothingLeft();
    ASSERT_TRUE(SignalWorkerOf(0, SIGSTOP));
    const Client client(server_, NewProgram(), false);
    const absl::Duration deadline = SteadyNow() + kMostTime;
    bool is_killed = false;
    while (!is_killed && SteadyNow() < deadline) {
      is_killed = SignalWorkerOf(client.process(), SIGKILL);
      usleep(1000);
    }
    EXPECT_TRUE(is_killed);
    ExpectRightOrAStatus(client, client.Wait());
  }
  EXPECT_EQ(failed_, 0);
}

TEST_F(KilledProcessesTest, WorkersThatWait) {
  MeasureRun();
  for (int i = 0; i < kills; ++i) {
    const Client client(server_, NewProgram(), false);
    Sleep();
    SignalWorkerOf(0, SIGKILL);
    ExpectRightOrAStatus(client, client.Wait());
  }
  ExpectNothingLeft();
  EXPECT_EQ(failed_, 0);
}

TEST_F(KilledProcessesTest, Clients) {
  MeasureRun();
  for (int i = 0; i < kills; ++i) {
    const Client client(server_, NewProgram(), false);
    Sleep();
    kill(client.process(), SIGKILL);
    const int status = client.Wait();
    if (WIFEXITED(status)) {
      EXPECT_EQ(client.output(), Expected());
    }
  }
  ExpectNothingLeft();
  MeasureRun();
}

TEST_F(KilledProcessesTest, Servers) {
  MeasureRun();
  for (int i = 0; i < kills; ++i) {
    const std::vector<ServerProcess::Worker> before = server_.Workers();
    const bool may_compile_itself = i % 2 == 1;
    const Client client(server_, NewProgram(), may_compile_itself);
    Sleep();
    const std::vector<ServerProcess::Worker> workers = server_.Workers();
    server_.End(SIGKILL);
    const int failed = failed_;
    ExpectRightOrAStatus(client, client.Wait());
    if (may_compile_itself) {
      EXPECT_EQ(failed_, failed) << client.errors();
    }
    // Its workers end with it. (A process that has ended may still have to be reaped, by init.)
    for (const ServerProcess::Worker& worker : workers) {
      std::string state = "?";
      for (int j = 0; j < 3000 && kill(worker.process, 0) == 0; ++j) {
        std::ifstream stat(absl::StrCat("/proc/", worker.process, "/stat"));
        std::string number, name;
        stat >> number >> name >> state;
        if (!stat || state == "Z") break;
        usleep(10'000);
      }
      if (kill(worker.process, 0) == 0) {
        EXPECT_EQ(state, "Z");
      }
    }
    server_.Start();
  }
  std::printf("%d clients failed\n", failed_);
  ExpectNothingLeft();
  MeasureRun();
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  firstcall::command_path = argc > 1 ? argv[1] : "";
  if (argc > 2) {
    absl::string_view count = argv[2];
    if (!absl::ConsumePrefix(&count, "--kills=") || !absl::SimpleAtoi(count, &firstcall::kills)) {
      std::fprintf(stderr, "unknown argument '%s'\n", argv[2]);
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}

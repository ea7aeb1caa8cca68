// What does a compile server save, in time and memory?
//
//   bazel run -c opt //benchmarks:compile_server -- DIR
//
// DIR is that of fetch_workloads.sh, whose SQLite (sq.bc) is run, as the front end has written it.
// Times are of whole processes without a cache of their own, that take turns: one that compiles
// itself, one with a server that has started for it and seen nothing, and one with a server that
// has seen the program. Memory is looked at when a process has done its work: a destructor of a
// further module stops it. Of 50 processes at once, the memory of all is that of their pages, each
// divided by the number of those that share it, with the server and its workers.

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "benchmarks/bars.h"
#include "benchmarks/report.h"
#include "tools/cpp/runfiles/runfiles.h"
#include "tools/measure/process_run.h"
#include "tools/measure/statistics.h"
#include "tools/measure/temporary_directory.h"

namespace firstcall::benchmarks {
namespace {

using ::bazel::tools::cpp::runfiles::Runfiles;

constexpr int kRounds = 11;
constexpr size_t kClients = 50;
constexpr int kMemoryRounds = 3;

// Stops the process when its destructors run.
constexpr char kStops[] = R"(
declare i32 @raise(i32)
define internal void @stop() {
  %ignored = call i32 @raise(i32 19)
  ret void
}
@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }]
    [{ i32, ptr, ptr } { i32 65535, ptr @stop, ptr null }]
)";

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "compile_server: %s\n", message.c_str());
  std::exit(1);
}

// A process that was started; killed at the end.
class Process {
 public:
  Process(const std::vector<std::string>& command, const std::string& output) {
    std::vector<char*> arguments;
    for (const std::string& argument : command) {
      arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    id_ = fork();
    if (id_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  Process(Process&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Process& operator=(Process&&) = delete;
  ~Process() { End(SIGKILL); }

  pid_t id() const { return id_; }

  void End(int signal) {
    if (id_ < 0) return;
    kill(id_, signal);
    while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) continue;
    id_ = -1;
  }

  // Waits until it has stopped itself.
  void WaitForStop() const {
    int status = 0;
    if (waitpid(id_, &status, WUNTRACED) != id_ || !WIFSTOPPED(status)) {
      Fail("a program ended before it was measured");
    }
  }

 private:
  pid_t id_ = -1;
};

// KiB of the lines of smaps_rollup that begin with one of `names`.
double Memory(pid_t process, const std::vector<std::string>& names) {
  std::ifstream file(absl::StrCat("/proc/", process, "/smaps_rollup"));
  double sum = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double size = 0;
    words >> name >> size;
    for (const std::string& wanted : names) sum += name == wanted ? size : 0;
  }
  return sum;
}

double PrivateMemory(pid_t process) {
  return Memory(process, {"Private_Clean:", "Private_Dirty:"});
}
double SharedOut(pid_t process) { return Memory(process, {"Pss:"}); }

std::vector<pid_t> ChildrenOf(pid_t process) {
  std::ifstream file(absl::StrCat("/proc/", process, "/task/", process, "/children"));
  std::vector<pid_t> children;
  for (pid_t child; file >> child;) children.push_back(child);
  return children;
}

class Measurement {
 public:
  Measurement(std::string firstcall, const std::string& workloads, const std::string& directory)
      : firstcall_(std::move(firstcall)),
        program_(workloads + "/sq.bc"),
        directory_(directory),
        socket_(directory + "/socket"),
        stops_(directory + "/stops.ll") {
    std::ofstream(stops_) << kStops;
  }

  void MeasureTimes() {
    for (int round = 0; round <= kRounds; ++round) {
      Run("itself", itself_, itself_ms_);
      Process server = StartServer();
      Run("unseen", served_, unseen_ms_);
      WaitUntilKnown();
      Run("seen", served_, seen_ms_);
      server.End(SIGTERM);
      if (round > 0) continue;
      for (std::vector<double>* figures : {&itself_ms_, &unseen_ms_, &seen_ms_}) figures->clear();
    }
  }

  void MeasureMemory() {
    for (int round = 0; round < kMemoryRounds; ++round) {
      own_.push_back(OneClient(itself_, nullptr));
      const Process server = StartServer();
      private_unseen_.push_back(OneClient(served_, &server));
      WaitUntilKnown();
      private_seen_.push_back(OneClient(served_, &server));
    }
    all_own_.push_back(AllClients(itself_, nullptr));
    {
      const Process server = StartServer();
      all_unseen_.push_back(AllClients(served_, &server));
    }
    const Process server = StartServer();
    OneClient(served_, &server);
    WaitUntilKnown();
    all_seen_.push_back(AllClients(served_, &server));
  }

  std::string Report() const {
    const auto compare = [](const std::string& claim, const std::vector<double>& over,
                            const std::vector<double>& under, double bar, bool is_least,
                            const char* unit) {
      return (is_least ? AtLeast : AtMost)(
          absl::StrFormat("%s, %s %g", claim, is_least ? "at least" : "at most", bar),
          measure::MedianRatio(over, under), bar,
          absl::StrFormat("%.1f : %.1f %s", measure::Median(over), measure::Median(under), unit));
    };
    return FormatBars({
        compare("first start : with a server that has not seen it", itself_ms_, unseen_ms_, 1.3,
                true, "ms"),
        compare("first start : with a server that has seen it", itself_ms_, seen_ms_, 1.3, true,
                "ms"),
        compare("private memory of a client, not seen : of one that compiles itself",
                private_unseen_, own_, 0.25, false, "KiB"),
        compare("private memory of a client, seen : of one that compiles itself", private_seen_,
                own_, 0.25, false, "KiB"),
        compare("memory of 50 clients with the server, not seen : of 50 that compile themselves",
                all_unseen_, all_own_, 0.4, false, "KiB"),
        compare("memory of 50 clients with the server, seen : of 50 that compile themselves",
                all_seen_, all_own_, 0.4, false, "KiB"),
    });
  }

 private:
  void Run(const std::string& name, const std::vector<std::string>& options,
           std::vector<double>& figures) {
    std::vector<std::string> command = {firstcall_};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back(program_);
    absl::StatusOr<measure::ProcessRun> run = measure::RunProcess(command, absl::Seconds(120));
    if (!run.ok()) Fail(std::string(run.status().message()));
    if (run->end != measure::ProcessRun::End::kExited || run->code != 0) {
      Fail(absl::StrCat(name, " did not end as it should: ", run->errors));
    }
    if (expected_.empty()) expected_ = run->output;
    if (run->output != expected_) Fail(name + " has printed something else");
    figures.push_back(absl::ToDoubleMilliseconds(run->wall));
  }

  std::string Status() const {
    absl::StatusOr<measure::ProcessRun> run = measure::RunProcess(
        {firstcall_, "serve", "--status", "--socket=" + socket_}, absl::Seconds(20));
    return run.ok() && run->code == 0 ? run->output : "";
  }

  Process StartServer() const {
    Process server({firstcall_, "serve", "--socket=" + socket_}, "/dev/null");
    while (Status().find(" waits") == std::string::npos) usleep(10'000);
    usleep(300'000);  // Its spare worker gets ready.
    return server;
  }

  void WaitUntilKnown() const {
    while (Status().find("modules known 0\n") != std::string::npos) usleep(20'000);
    usleep(500'000);
  }

  std::string OutputOf(size_t client) const { return absl::StrCat(directory_, "/output", client); }

  Process Start(const std::vector<std::string>& options, size_t client) const {
    std::vector<std::string> command = {firstcall_};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("--extra-module=" + stops_);
    command.push_back(program_);
    return Process(command, OutputOf(client));
  }

  double OneClient(const std::vector<std::string>& options, const Process*) {
    const Process client = Start(options, 0);
    client.WaitForStop();
    const double memory = PrivateMemory(client.id());
    LetEnd(client, 0);
    return memory;
  }

  // The memory of kClients of them, with that of the server.
  double AllClients(const std::vector<std::string>& options, const Process* server) {
    std::vector<Process> clients;
    for (size_t i = 0; i < kClients; ++i) clients.push_back(Start(options, i));
    for (const Process& client : clients) client.WaitForStop();
    double memory = 0;
    for (const Process& client : clients) memory += SharedOut(client.id());
    if (server != nullptr) {
      memory += SharedOut(server->id());
      for (pid_t worker : ChildrenOf(server->id())) memory += SharedOut(worker);
    }
    for (size_t i = 0; i < kClients; ++i) LetEnd(clients[i], i);
    return memory;
  }

  void LetEnd(const Process& client, size_t number) const {
    kill(client.id(), SIGCONT);
    siginfo_t info;
    waitid(P_PID, static_cast<id_t>(client.id()), &info, WEXITED | WNOWAIT);
    std::ifstream file(OutputOf(number));
    std::ostringstream output;
    output << file.rdbuf();
    if (info.si_code != CLD_EXITED || info.si_status != 0 || output.str() != expected_) {
      Fail("a client has printed something else");
    }
  }

  const std::string firstcall_, program_, directory_, socket_, stops_;
  const std::vector<std::string> itself_ = {"--no-object-cache"};
  const std::vector<std::string> served_ = {"--no-object-cache", "--compile-server=" + socket_};
  std::string expected_;
  std::vector<double> itself_ms_, unseen_ms_, seen_ms_;
  std::vector<double> own_, private_unseen_, private_seen_;
  std::vector<double> all_own_, all_unseen_, all_seen_;
};

int Main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: compile_server DIR\n");
    return 2;
  }
  std::string error;
  const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(argv[0], &error));
  if (runfiles == nullptr) Fail(error);
  const absl::StatusOr<measure::TemporaryDirectory> directory =
      measure::TemporaryDirectory::Make("compile-server");
  if (!directory.ok()) Fail(std::string(directory.status().message()));
  Measurement measurement(runfiles->Rlocation("firstcall/tools/firstcall"), argv[1],
                          directory->path());
  measurement.MeasureTimes();
  measurement.MeasureMemory();
  absl::PrintF("%s", measurement.Report());
  return 0;
}

}  // namespace
}  // namespace firstcall::benchmarks

int main(int argc, char** argv) { return firstcall::benchmarks::Main(argc, argv); }

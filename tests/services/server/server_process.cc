#include "tests/services/server/server_process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/packets.h"
#include "base/steady_clock.h"
#include "services/server/client_socket.h"
#include "services/server/protocol.h"
#include "tests/programs/process.h"

namespace firstcall::testing {

ServerProcess::ServerProcess(const std::string& firstcall, std::vector<std::string> options)
    : firstcall_(firstcall), options_(std::move(options)) {
  // A path for a socket is at most 107 bytes long, so it cannot lie where a test's files do.
  char directory[] = "/tmp/firstcall_server_XXXXXX";
  if (mkdtemp(directory) == nullptr) {
    perror("mkdtemp");
    abort();
  }
  directory_ = directory;
  socket_ = directory_ + "/socket";
  Start();
}

void ServerProcess::Start() {
  std::vector<std::string> command = {firstcall_, "serve", "--socket=" + socket_};
  command.insert(command.end(), options_.begin(), options_.end());
  process_ = StartProcess(command);
  while (Status().empty()) {
    if (waitpid(process_, nullptr, WNOHANG) != 0) {
      fprintf(stderr, "the compile server has ended\n");
      abort();
    }
    usleep(5000);
  }
}

void ServerProcess::End(int signal) {
  if (process_ < 0) return;
  kill(process_, signal);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::string ServerProcess::Status() const {
  const absl::Duration deadline = SteadyNow() + absl::Seconds(30);
  const auto socket = ClientSocket::Connect(socket_, deadline);
  if (!socket.ok()) return "";
  const char question = static_cast<char>(ServerMessage::kStatus);
  if (!SendPacket((*socket)->number(), {&question, 1}).ok()) return "";
  const absl::StatusOr<Packet> answer = ReceivePacket((*socket)->number(), deadline);
  return answer.ok() ? answer->bytes : "";
}

std::vector<ServerProcess::Worker> ServerProcess::Workers() const {
  std::vector<Worker> workers;
  for (absl::string_view line : absl::StrSplit(Status(), '\n')) {
    // "worker 12 of client 11", or "worker 13 waits".
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
    Worker worker;
    if (words.size() < 3 || words[0] != "worker" || !absl::SimpleAtoi(words[1], &worker.process)) {
      continue;
    }
    if (words.size() == 5 && !absl::SimpleAtoi(words[4], &worker.client)) continue;
    workers.push_back(worker);
  }
  return workers;
}

ServerProcess::~ServerProcess() {
  End(SIGTERM);
  unlink(socket_.c_str());
  rmdir(directory_.c_str());
}

}  // namespace firstcall::testing

#include "tests/testing/redis_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

sockaddr_in Loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// One that nobody listens on at the moment.
int FreePort() {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(file, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(file, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(file);
  return ntohs(address.sin_port);
}

bool CanConnect(int port) {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(port);
  const bool can = connect(file, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(file);
  return can;
}

}  // namespace

RedisServer::RedisServer(const std::vector<std::string>& options) : port_(FreePort()) {
  std::vector<std::string> command = {
      "redis-server", "--port", absl::StrCat(port_), "--bind", "127.0.0.1",
      "--save",       "",       "--appendonly",      "no"};
  command.insert(command.end(), options.begin(), options.end());
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    execv("/usr/bin/redis-server", arguments.data());
    _exit(127);
  }
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  while (!CanConnect(port_) && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(5));
  EXPECT_LT(absl::Now(), deadline) << "redis-server did not start";
}

RedisServer::~RedisServer() { Kill(); }

std::string RedisServer::Url(const std::string& login) const {
  return absl::StrCat("redis://", login, "127.0.0.1:", port_, "/0");
}

void RedisServer::Kill() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

void RedisServer::Stop() { kill(process_, SIGSTOP); }

void RedisServer::Continue() { kill(process_, SIGCONT); }

}  // namespace firstcall

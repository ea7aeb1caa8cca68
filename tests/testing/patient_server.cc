#include "tests/testing/patient_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/server_process.h"

namespace firstcall {
namespace {

struct Connection {
  int file;
  std::string bytes;  // What has come and is not counted yet.
  int waiting = 0;    // Requests without an answer.
};

}  // namespace

PatientServer::PatientServer(int requests, std::string mark, std::string answer)
    : requests_(requests), mark_(std::move(mark)), answer_(std::move(answer)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(listen(listener_, 100), 0);
  socklen_t size = sizeof(address);
  EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
  EXPECT_EQ(pipe2(stop_, O_CLOEXEC), 0);
  thread_ = std::thread([this] { Serve(); });
}

PatientServer::~PatientServer() {
  close(stop_[1]);
  thread_.join();
  close(stop_[0]);
  close(listener_);
}

void PatientServer::Serve() {
  std::vector<Connection> connections;
  int count = 0;
  while (true) {
    std::vector<pollfd> files = {{stop_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Connection& connection : connections) {
      files.push_back({connection.file, POLLIN, 0});
    }
    if (poll(files.data(), files.size(), -1) < 0) continue;
    if (files[0].revents != 0) break;
    for (size_t i = 2; i < files.size(); ++i) {
      if (files[i].revents == 0) continue;
      Connection& connection = connections[i - 2];
      char buffer[4096];
      const ssize_t size = read(connection.file, buffer, sizeof(buffer));
      if (size <= 0) {
        close(std::exchange(connection.file, -1));
        continue;
      }
      connection.bytes.append(buffer, size);
      for (size_t at; (at = connection.bytes.find(mark_)) != std::string::npos;) {
        connection.bytes.erase(0, at + mark_.size());
        ++connection.waiting;
        ++count;
      }
    }
    if (files[1].revents != 0) {
      connections.push_back({accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), "", 0});
      ++connections_;
    }
    if (count < requests_) continue;
    for (Connection& connection : connections) {
      for (; connection.waiting > 0; --connection.waiting) {
        // The client may have gone.
        (void)send(connection.file, answer_.data(), answer_.size(), MSG_NOSIGNAL);
      }
    }
  }
  for (const Connection& connection : connections) {
    if (connection.file >= 0) close(connection.file);
  }
}

}  // namespace firstcall

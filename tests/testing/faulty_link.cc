// Each direction of a connection has two threads, so that what is delayed does not delay what comes
// after it: bytes that are sent one after the other arrive one after the other, half a round trip
// later. A connection takes a round trip more before the server hears of it, as in TCP.

#include "tests/testing/faulty_link.h"

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/testing/server_process.h"

namespace firstcall {

struct FaultyLink::Direction {
  int from = -1;
  int to = -1;
  bool is_from_server = false;
  absl::Mutex mutex;
  std::deque<std::pair<absl::Time, std::string>> due ABSL_GUARDED_BY(mutex);
  bool has_ended ABSL_GUARDED_BY(mutex) = false;
};

struct FaultyLink::Connection {
  ~Connection() {
    close(up.from);
    close(up.to);
  }
  // Whoever waits for a socket goes on.
  void End() {
    shutdown(up.from, SHUT_RDWR);
    shutdown(up.to, SHUT_RDWR);
  }

  Direction up;    // To the server.
  Direction down;  // From the server.
};

namespace {

bool SendAll(int file, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(file, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}

}  // namespace

FaultyLink::FaultyLink(int port) : server_port_(port) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(listener_, 128), 0);
  EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

FaultyLink::~FaultyLink() {
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  Use({});
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(
      +[](int* threads) { return *threads == 0; }, &threads_));
}

void FaultyLink::Use(Plan plan) {
  absl::MutexLock lock(&mutex_);
  for (const std::weak_ptr<Connection>& weak : connections_) {
    if (const std::shared_ptr<Connection> connection = weak.lock()) connection->End();
  }
  connections_.clear();
  plan_ = plan;
  bytes_ = 0;
  has_failed_ = false;
}

uint64_t FaultyLink::bytes() const {
  absl::MutexLock lock(&mutex_);
  return bytes_;
}

void FaultyLink::Accept() {
  while (true) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = Loopback(server_port_);
    auto connection = std::make_shared<Connection>();
    connection->up.from = connection->down.to = client;
    connection->up.to = connection->down.from = server;
    connection->down.is_from_server = true;
    if (connect(server, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) continue;
    // No other delay than that of the plan.
    const int yes = 1;
    for (const int file : {client, server}) {
      setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    }
    absl::MutexLock lock(&mutex_);
    if (plan_.fault == Fault::kClose && has_failed_) continue;
    connections_.push_back(connection);
    for (Direction* direction : {&connection->up, &connection->down}) {
      threads_ += 2;
      std::thread([this, connection, direction] { Read(connection, *direction); }).detach();
      std::thread([this, connection, direction] { Write(connection, *direction); }).detach();
    }
  }
}

// The connection owns the direction.
void FaultyLink::Read(std::shared_ptr<Connection> /*connection*/, Direction& direction) {
  bool is_first = true;
  std::string buffer(64 << 10, '\0');
  while (true) {
    const ssize_t got = recv(direction.from, buffer.data(), buffer.size(), 0);
    if (got <= 0) break;
    absl::Duration delay;
    {
      absl::MutexLock lock(&mutex_);
      delay = plan_.round_trip / 2;
      if (is_first && !direction.is_from_server) delay += plan_.round_trip;
    }
    is_first = false;
    absl::MutexLock lock(&direction.mutex);
    direction.due.emplace_back(absl::Now() + delay,
                               std::string(buffer.data(), static_cast<size_t>(got)));
  }
  {
    absl::MutexLock lock(&direction.mutex);
    direction.has_ended = true;
  }
  absl::MutexLock lock(&mutex_);
  --threads_;
}

void FaultyLink::Write(std::shared_ptr<Connection> connection, Direction& direction) {
  while (true) {
    std::pair<absl::Time, std::string> next;
    {
      absl::MutexLock lock(&direction.mutex);
      direction.mutex.Await(absl::Condition(
          +[](Direction* self) ABSL_EXCLUSIVE_LOCKS_REQUIRED(self->mutex) {
            return self->has_ended || !self->due.empty();
          },
          &direction));
      if (direction.due.empty()) break;
      next = std::move(direction.due.front());
      direction.due.pop_front();
    }
    absl::SleepFor(next.first - absl::Now());
    std::string& bytes = next.second;
    Fault fault = Fault::kNone;
    size_t before = bytes.size();  // How many bytes go on as they should.
    if (direction.is_from_server) {
      absl::MutexLock lock(&mutex_);
      const uint64_t begin = bytes_;
      bytes_ += bytes.size();
      const bool is_here = plan_.fault != Fault::kNone && bytes_ > plan_.fault_after;
      if (is_here && !(plan_.fault == Fault::kDamage && has_failed_)) {
        before = plan_.fault_after > begin ? plan_.fault_after - begin : 0;
        fault = plan_.fault;
        has_failed_ = true;
      }
    }
    if (fault == Fault::kDamage) {
      bytes[before] = static_cast<char>(bytes[before] ^ 0x21);
      before = bytes.size();
    }
    if (!SendAll(direction.to, bytes.data(), before)) break;
    if (fault == Fault::kClose) break;
    for (size_t i = before; fault == Fault::kSlow && i < bytes.size(); ++i) {
      absl::SleepFor(absl::Milliseconds(10));
      if (!SendAll(direction.to, bytes.data() + i, 1)) break;
    }
    if (fault == Fault::kHang) {
      // Until the client goes or the plan changes, which ends the connection.
      char byte;
      while (recv(direction.to, &byte, 1, MSG_PEEK) > 0) absl::SleepFor(absl::Milliseconds(1));
      break;
    }
  }
  connection->End();
  absl::MutexLock lock(&mutex_);
  --threads_;
}

}  // namespace firstcall

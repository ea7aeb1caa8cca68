// A Redis server on this machine's loopback, for tests.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_TESTING_REDIS_SERVER_H_
#define FIRSTCALL_TESTS_TESTING_REDIS_SERVER_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace firstcall {

class RedisServer {
 public:
  // Starts one that keeps nothing on the disk, with further options of redis-server, and waits
  // until it can be connected to. Fails the running test if there is none.
  explicit RedisServer(const std::vector<std::string>& options = {});
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  int port() const { return port_; }

  // "redis://LOGIN127.0.0.1:PORT/0".
  std::string Url(const std::string& login = "") const;

  // It goes at once and does not come back.
  void Kill();
  // It is there, but does nothing, until it is told to go on.
  void Stop();
  void Continue();

 private:
  int port_ = 0;
  pid_t process_ = -1;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_REDIS_SERVER_H_

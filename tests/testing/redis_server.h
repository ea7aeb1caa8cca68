// A Redis server on this machine's loopback, for tests.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_TESTING_REDIS_SERVER_H_
#define FIRSTCALL_TESTS_TESTING_REDIS_SERVER_H_

#include <string>
#include <vector>

#include "tests/testing/server_process.h"

namespace firstcall {

class RedisServer {
 public:
  // Starts one that keeps nothing on the disk, with further options of redis-server, and waits
  // until it can be connected to. Fails the running test if there is none.
  explicit RedisServer(const std::vector<std::string>& options = {});

  int port() const { return port_; }

  // "redis://LOGIN127.0.0.1:PORT/0".
  std::string Url(const std::string& login = "") const;

  // As ServerProcess.
  void Kill() { process_.Kill(); }
  void Stop() { process_.Stop(); }
  void Continue() { process_.Continue(); }

 private:
  const int port_;
  ServerProcess process_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_REDIS_SERVER_H_

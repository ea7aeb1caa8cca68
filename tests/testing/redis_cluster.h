// A Redis Cluster of three servers, each of which has a third of the keys, for tests.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_TESTING_REDIS_CLUSTER_H_
#define FIRSTCALL_TESTS_TESTING_REDIS_CLUSTER_H_

#include <memory>
#include <vector>

#include "tests/testing/redis_server.h"

namespace firstcall {

class RedisCluster {
 public:
  // Starts one, and waits until it can be used. Fails the running test if it cannot.
  explicit RedisCluster(const RedisServer::Options& options = {});

  // One of three.
  RedisServer& server(int i) const { return *servers_[i]; }

  // As ServerProcess.
  void Kill();
  void Stop();
  void Continue();

 private:
  std::vector<std::unique_ptr<RedisServer>> servers_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_REDIS_CLUSTER_H_

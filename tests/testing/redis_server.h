// A Redis server on this machine's loopback, for tests.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_TESTING_REDIS_SERVER_H_
#define FIRSTCALL_TESTS_TESTING_REDIS_SERVER_H_

#include <optional>
#include <string>
#include <vector>

#include "tests/testing/certificate.h"
#include "tests/testing/server_process.h"

namespace firstcall {

class RedisServer {
 public:
  struct Options {
    bool has_tls = false;
    bool asks_certificate = false;  // Of clients. Needs has_tls.
    std::vector<std::string> more;  // Further options of redis-server.
    // For TLS. None: a new one, by an authority of its own.
    std::optional<Certificate> certificate;
  };

  // Whether redis-server is installed, with what it needs.
  static bool IsInstalled();

  // Starts one that keeps nothing on the disk, and waits until it can be connected to. Fails the
  // running test if there is none.
  explicit RedisServer(Options options);
  RedisServer() : RedisServer(Options()) {}
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  int port() const { return port_; }

  // "redis[s]://LOGIN127.0.0.1:PORT/0".
  std::string Url(const std::string& login = "") const;

  // For a server with TLS: its authority, which is also a client's certificate, and the key. Empty
  // without TLS.
  std::string Authority() const { return certificate_ ? certificate_->file() : ""; }
  std::string Key() const { return certificate_ ? certificate_->key_file() : ""; }

  const std::optional<Certificate>& certificate() const { return certificate_; }

  // As ServerProcess.
  void Kill() { process_.Kill(); }
  void Stop() { process_.Stop(); }
  void Continue() { process_.Continue(); }

 private:
  const Options options_;
  const int port_;
  std::string directory_;
  std::optional<Certificate> certificate_;
  ServerProcess process_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_REDIS_SERVER_H_

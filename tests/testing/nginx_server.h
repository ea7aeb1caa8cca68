// nginx as a store of files (WebDAV) on this machine's loopback, for tests.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_TESTING_NGINX_SERVER_H_
#define FIRSTCALL_TESTS_TESTING_NGINX_SERVER_H_

#include <string>
#include <vector>

#include "tests/testing/server_process.h"

namespace firstcall {

class NginxServer {
 public:
  struct Options {
    bool has_tls = false;           // With a certificate of an authority of its own.
    bool asks_certificate = false;  // Of clients. Needs has_tls.
    std::string location;           // Further lines for the configuration of the folder.
  };

  // Whether nginx is installed, with what it needs.
  static bool IsInstalled();

  // Starts one whose files are in a new directory, and waits until it can be connected to.
  explicit NginxServer(Options options);
  NginxServer() : NginxServer(Options()) {}
  ~NginxServer();
  NginxServer(const NginxServer&) = delete;
  NginxServer& operator=(const NginxServer&) = delete;

  int port() const { return port_; }

  // "http[s]://LOGINlocalhost:PORT/cache".
  std::string Url(const std::string& login = "") const;

  // The files that clients have stored, and those that they need for TLS: the authority, which is
  // also a client's certificate, and its key.
  std::string Folder() const { return directory_ + "/data/cache"; }
  std::string Authority() const { return directory_ + "/certificate.pem"; }
  std::string Key() const { return directory_ + "/key.pem"; }

  // One for each request that has been answered since the start or the last call, for example
  // "GET /cache/ac/... 200".
  std::vector<std::string> TakeRequests();

  // On how many connections the requests came that have been answered since the start.
  int ConnectionCount();

  // The paths of the files below Folder(), sorted.
  std::vector<std::string> Files() const;

  // As ServerProcess.
  void Kill() { process_.Kill(); }
  void Stop() { process_.Stop(); }
  void Continue() { process_.Continue(); }

 private:
  void WaitForLog() const;

  const Options options_;
  const int port_;
  const int marker_port_;
  std::string directory_;
  size_t requests_taken_ = 0;
  ServerProcess process_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_NGINX_SERVER_H_

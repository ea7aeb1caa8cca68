// A compile server of the command, for a test.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_SERVICES_SERVER_SERVER_PROCESS_H_
#define FIRSTCALL_TESTS_SERVICES_SERVER_SERVER_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace firstcall::testing {

class ServerProcess {
 public:
  // Starts `firstcall serve`, and returns when it listens. It dies with this thread. Ends the test
  // program if that fails.
  explicit ServerProcess(const std::string& firstcall, std::vector<std::string> options = {});
  // Ends it, if it was not ended, and removes its directory.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  const std::string& socket() const { return socket_; }
  // Negative after End.
  pid_t process() const { return process_; }

  // Starts it again at the same path, after End.
  void Start();
  // Sends it `signal`, and waits until it has ended.
  void End(int signal);
  // What `firstcall serve --status` prints; empty if there is no server.
  std::string Status() const;
  struct Worker {
    pid_t process = 0;
    pid_t client = 0;  // Zero: it waits for one.
  };
  std::vector<Worker> Workers() const;

 private:
  const std::string firstcall_;
  const std::vector<std::string> options_;
  std::string directory_;
  std::string socket_;
  pid_t process_ = -1;
};

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_SERVICES_SERVER_SERVER_PROCESS_H_

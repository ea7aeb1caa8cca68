// A server that a test starts on this machine's loopback, in a process of its own.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_TESTING_SERVER_PROCESS_H_
#define FIRSTCALL_TESTS_TESTING_SERVER_PROCESS_H_

#include <netinet/in.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace firstcall {

// The address of `port` of the loopback.
sockaddr_in Loopback(int port);

// A port of the loopback that nobody listens on at the moment.
int FreePort();

class ServerProcess {
 public:
  ServerProcess() = default;
  ~ServerProcess() { Kill(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Starts `command`, whose first element is a path, and waits until `port` can be connected to.
  // Fails the running test if that does not come to pass. The server dies with this process.
  void Start(std::vector<std::string> command, int port);

  // The server goes at once and does not come back.
  void Kill();
  // The server is there, but does nothing, until it is told to go on.
  void Stop();
  void Continue();

 private:
  pid_t process_ = -1;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_SERVER_PROCESS_H_

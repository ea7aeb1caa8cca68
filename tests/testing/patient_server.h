// A server on this machine's loopback that answers no request before it has got all of them, on
// whatever connections: a client that sends one after the other waits for ever. For tests.
//
// Thread-safe.

#ifndef FIRSTCALL_TESTS_TESTING_PATIENT_SERVER_H_
#define FIRSTCALL_TESTS_TESTING_PATIENT_SERVER_H_

#include <atomic>
#include <string>
#include <thread>

namespace firstcall {

class PatientServer {
 public:
  // Counts how often `mark`, which each request has once, comes, and then gives `answer` as often,
  // to each connection as often as the mark came there. After that, it answers at once.
  PatientServer(int requests, std::string mark, std::string answer);
  // Ends all connections.
  ~PatientServer();
  PatientServer(const PatientServer&) = delete;
  PatientServer& operator=(const PatientServer&) = delete;

  int port() const { return port_; }
  // How many connections there have been.
  int connections() const { return connections_; }

 private:
  void Serve();

  const int requests_;
  const std::string mark_;
  const std::string answer_;
  int listener_ = -1;
  int port_ = 0;
  int stop_[2] = {-1, -1};  // A pipe; nothing is written into it, and its end ends the thread.
  std::atomic<int> connections_{0};
  std::thread thread_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_PATIENT_SERVER_H_

// A compile server in a child of a test, whose workers fail as a test wants: when they are to
// compile a function whose name begins with
//   crash       they abort
//   once        the first one aborts; later ones compile it
//   hang        they never answer
//   hungry      they allocate memory until there is no more
//   taken       they do what a worker does that was taken over, as the test says
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_SERVICES_SERVER_LOCAL_SERVER_H_
#define FIRSTCALL_TESTS_SERVICES_SERVER_LOCAL_SERVER_H_

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "services/server/compile_server.h"

namespace firstcall {

class LocalServer {
 public:
  // Starts it, and returns when it listens. It dies with this thread. To be called before the
  // process has other threads.
  //
  // `attack` is what a worker does that was taken over; then compiling the function fails with the
  // text that this returns.
  explicit LocalServer(CompileServerOptions options = {},
                       std::function<std::string()> attack = nullptr);
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  const std::string& socket() const { return socket_; }
  pid_t process() const { return process_; }
  // Sends it `signal`, and waits until it has ended.
  void End(int signal);
  // A line of its status, without the number behind `name`; -1 if there is none.
  int Count(const std::string& name) const;
  // The process of the worker of which the status says `what`; -1 if there is none.
  pid_t FindWorker(absl::string_view what) const;
  // The only worker of a client: waits, for half a minute at most, until those that the client has
  // given up have ended. -1 if there are none or several at the end.
  pid_t FindOnlyWorkerOf(pid_t client) const;
  // Stops all threads of a worker, and waits until they have stopped, for half a minute at most.
  static void StopWorker(pid_t worker);
  // Waits until the status says so, for half a minute at most.
  void WaitFor(const std::string& name, int count) const;

 private:
  // The status; empty if the server does not answer.
  std::string Status() const;
  // The processes of all workers of which the status says `what`.
  std::vector<pid_t> FindWorkers(absl::string_view what) const;

  std::string directory_;
  std::string socket_;
  pid_t process_ = -1;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_SERVICES_SERVER_LOCAL_SERVER_H_

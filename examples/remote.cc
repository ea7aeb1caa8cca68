// Compiles IR whose code runs in another process (executor.cc), which this program starts.
//
//   remote EXECUTOR...     where EXECUTOR is the other program, with its first arguments

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "firstcall/services/executor/executor_engine.h"

namespace {

// Starts the program `words`, whose last argument becomes one end of a socket, and returns the
// other end; negative if that fails.
int Start(std::vector<char*> words, pid_t& process) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return -1;
  process = fork();
  if (process == 0) {
    close(sockets[0]);
    std::string descriptor = std::to_string(sockets[1]);
    words.insert(words.end(), {descriptor.data(), nullptr});
    execv(words[0], words.data());
    _exit(127);
  }
  close(sockets[1]);
  return sockets[0];
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "remote: %s\n", status.ToString().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: remote EXECUTOR...\n");
    return 2;
  }
  pid_t process = -1;
  const int socket = Start({argv + 1, argv + argc}, process);
  if (socket < 0) return 1;
  {
    auto engine = firstcall::ExecutorEngine::Create(socket);
    if (!engine.ok()) return Fail(engine.status());
    absl::Status added = (*engine)->AddAssembly(R"(
      declare void @report(i32)
      declare void @abort()
      define i32 @square(i32 %x) {
        %y = mul i32 %x, %x
        call void @report(i32 %y)
        ret i32 %y
      }
      define void @crash() { call void @abort()  ret void }
    )",
                                                "shapes");
    if (!added.ok()) return Fail(added);
    int argument = 7, result = 0;
    absl::Status called = (*engine)->Call("square", {firstcall::ForeignKind::kInt32, &result},
                                          {{firstcall::ForeignKind::kInt32, &argument}});
    if (!called.ok()) return Fail(called);
    std::printf("square(7) = %d\n", result);
    called = (*engine)->Call("crash", {}, {});
    std::printf("after a crash: %s\n",
                called.ok() ? "no error" : "an error, and this process goes on");
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFSIGNALED(status) ? 0 : 1;
}

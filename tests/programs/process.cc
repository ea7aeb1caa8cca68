// Input and output go through files in memory: nobody has to read while the command writes.

#include "tests/programs/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/testing/host.h"

namespace firstcall::testing {
namespace {

[[noreturn]] void Fail(const char* operation, const std::string& subject) {
  fprintf(stderr, "%s %s: %s\n", operation, subject.c_str(), strerror(errno));
  abort();
}

class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : fd_(memfd_create(name, MFD_CLOEXEC)) {
    if (fd_ < 0) Fail("memfd_create", name);
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int fd() const { return fd_; }

  void Fill(const std::string& text) {
    if (write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      Fail("write", "standard input");
    }
    lseek(fd_, 0, SEEK_SET);
  }

  std::string Read() const {
    std::string text(lseek(fd_, 0, SEEK_END), '\0');
    if (pread(fd_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
      Fail("read", "output");
    }
    return text;
  }

 private:
  const int fd_;
};

// The leak checker's remark in the child of a process that had other threads when it was forked:
// they are not there to be stopped.
std::string WithoutRemarks(const std::string& errors) {
  static constexpr absl::string_view kRemark = " was not suspended. False leaks are possible.";
  std::vector<absl::string_view> lines = absl::StrSplit(errors, '\n');
  lines.erase(std::remove_if(lines.begin(), lines.end(),
                             [](absl::string_view line) { return absl::EndsWith(line, kRemark); }),
              lines.end());
  return absl::StrJoin(lines, "\n");
}

}  // namespace

bool operator==(const ProcessResult& a, const ProcessResult& b) {
  return a.exit_status == b.exit_status && a.output == b.output && a.errors == b.errors;
}

std::ostream& operator<<(std::ostream& stream, const ProcessResult& result) {
  return stream << "exit status " << result.exit_status << "\n--- standard output\n"
                << result.output << "--- standard error\n"
                << result.errors << "---\n";
}

pid_t StartProcess(const std::vector<std::string>& program, const std::function<void()>& prepare) {
  const std::vector<std::string> command = OnThisMachine(program);
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  const pid_t process = fork();
  if (process != 0) return process;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prepare();
  // The command's default cache is the user's.
  setenv("FIRSTCALL_CACHE", "off", /*replace=*/0);
  execv(arguments[0], arguments.data());
  dprintf(STDERR_FILENO, "cannot start %s: %s\n", arguments[0], strerror(errno));
  _exit(127);
}

ProcessResult RunProcess(const std::vector<std::string>& command, const std::string& input,
                         const std::function<void()>& prepare) {
  MemoryFile in("input"), out("output"), err("errors");
  in.Fill(input);
  const pid_t pid = StartProcess(command, [&] {
    dup2(in.fd(), STDIN_FILENO);
    dup2(out.fd(), STDOUT_FILENO);
    dup2(err.fd(), STDERR_FILENO);
    prepare();
  });
  if (pid < 0) Fail("fork", command[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) Fail("waitpid", command[0]);
  }
  ProcessResult result;
  result.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.output = out.Read();
  result.errors = WithoutRemarks(err.Read());
  return result;
}

}  // namespace firstcall::testing

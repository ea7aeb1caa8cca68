#include "tests/bitcode/compare_in_child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "absl/status/statusor.h"
#include "tests/bitcode/allocation_meter.h"
#include "tests/bitcode/compare_readers.h"

namespace firstcall::testing {
namespace {

constexpr int kEqualExit = 40, kDifferentExit = 41, kRefusedExit = 42;

// Writes what differs to `output`, and ends the process.
[[noreturn]] void RunChild(absl::string_view bitcode, int output) {
  AllocationMeter::Stop();
  // What LLVM says of damage, and of its own crash, is of no interest.
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  for (int crash : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) std::signal(crash, SIG_DFL);
  alarm(20);
  const absl::StatusOr<ReaderComparison> comparison = CompareReaders(bitcode, /*is_damaged=*/true);
  if (!comparison.ok()) _exit(kRefusedExit);
  if (comparison->different.empty()) _exit(kEqualExit);
  const std::string& difference = comparison->different.front();
  (void)!write(output, difference.data(), difference.size());
  _exit(kDifferentExit);
}

std::string ReadToEnd(int descriptor) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count > 0) {
      text.append(buffer, static_cast<size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
  }
}

}  // namespace

ChildComparison CompareReadersInChild(absl::string_view bitcode) {
  ChildComparison result;
  int ends[2];
  if (pipe(ends) != 0) return result;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    RunChild(bitcode, ends[1]);
  }
  close(ends[1]);
  if (child > 0) {
    result.difference = ReadToEnd(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kRefusedExit;
    if (code == kEqualExit) result.verdict = ChildVerdict::kEqual;
    if (code == kDifferentExit) result.verdict = ChildVerdict::kDifferent;
  }
  close(ends[0]);
  return result;
}

}  // namespace firstcall::testing

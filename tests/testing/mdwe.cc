#include "tests/testing/mdwe.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace firstcall {
namespace {

// Of Linux 6.3; the C library's headers may be older.
constexpr int kSetMdwe = 65;
constexpr int kGetMdwe = 66;
constexpr unsigned long kRefuseGain = 1;

bool IsKnown() { return prctl(kGetMdwe, 0, 0, 0, 0) >= 0; }

}  // namespace

std::optional<int> RunUnderMdwe(const std::function<int()>& work) {
  if (!IsKnown()) return std::nullopt;
  std::fflush(nullptr);  // Otherwise both would write what is in a buffer.
  const pid_t child = fork();
  if (child == 0) {
    int result = 1;
    if (prctl(kSetMdwe, kRefuseGain, 0, 0, 0) == 0) {
      result = work();
    } else {
      std::perror("PR_SET_MDWE");
    }
    std::fflush(nullptr);
    _exit(result);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace firstcall

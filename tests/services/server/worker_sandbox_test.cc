#include "services/server/worker_sandbox.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <thread>

#include "gtest/gtest.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

constexpr int kNotConfined = 77;

// The exit status of a confined child that does `work`.
int Confined(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    if (!ConfineWorker().ok()) _exit(kNotConfined);
    _exit(work() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

#define SKIP_UNLESS_CONFINED()                                            \
  do {                                                                    \
    if (IsEmulated()) GTEST_SKIP() << "the emulator has no such filters"; \
    if (Confined([] { return true; }) == kNotConfined)                    \
      GTEST_SKIP() << "no filters on this system";                        \
  } while (false)

bool IsRefused(long result) { return result < 0 && errno == EPERM; }

TEST(WorkerSandboxTest, OpensNoFile) {
  SKIP_UNLESS_CONFINED();
  EXPECT_EQ(Confined([] { return IsRefused(open("/dev/null", O_RDONLY)); }), 0);
  EXPECT_EQ(Confined([] { return IsRefused(unlink("/tmp/no such file")); }), 0);
}

TEST(WorkerSandboxTest, OpensNoSocket) {
  SKIP_UNLESS_CONFINED();
  EXPECT_EQ(Confined([] { return IsRefused(socket(AF_UNIX, SOCK_STREAM, 0)); }), 0);
  EXPECT_EQ(Confined([] { return IsRefused(socket(AF_INET, SOCK_STREAM, 0)); }), 0);
}

TEST(WorkerSandboxTest, StartsNoProcessAndSignalsNone) {
  SKIP_UNLESS_CONFINED();
  EXPECT_EQ(Confined([] { return IsRefused(fork()); }), 0);
  EXPECT_EQ(Confined([] { return IsRefused(execl("/bin/true", "true", nullptr)); }), 0);
  EXPECT_EQ(Confined([] { return IsRefused(kill(getppid(), 0)); }), 0);
  // The system sends its owner a signal when something can be read.
  EXPECT_EQ(Confined([] { return IsRefused(fcntl(0, F_SETOWN, getppid())); }), 0);
  EXPECT_EQ(Confined([] { return IsRefused(fcntl(0, F_SETSIG, SIGKILL)); }), 0);
  EXPECT_EQ(Confined([] { return fcntl(0, F_GETFD) >= 0; }), 0);
  const rlimit limit = {};
  EXPECT_EQ(Confined([&] { return IsRefused(prlimit(getppid(), RLIMIT_CPU, &limit, nullptr)); }),
            0);
  EXPECT_EQ(Confined([] {
              rlimit own = {};
              return getrlimit(RLIMIT_CPU, &own) == 0;
            }),
            0);
}

TEST(WorkerSandboxTest, MakesNoMemoryExecutable) {
  SKIP_UNLESS_CONFINED();
  EXPECT_EQ(Confined([] {
              return mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                          0) == MAP_FAILED;
            }),
            0);
  EXPECT_EQ(Confined([] {
              void* const page =
                  mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return page != MAP_FAILED && IsRefused(mprotect(page, 4096, PROT_READ | PROT_EXEC));
            }),
            0);
}

TEST(WorkerSandboxTest, MakesNoMemoryThatLimitsDoNotCount) {
  SKIP_UNLESS_CONFINED();
  EXPECT_EQ(Confined([] { return IsRefused(memfd_create("test", MFD_CLOEXEC)); }), 0);
  EXPECT_EQ(Confined([] {
              return mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                          0) == MAP_FAILED &&
                     errno == EPERM;
            }),
            0);
  // A file that somebody else has made can be read, and that is all.
  const int file = memfd_create("test", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, 4096), 0);
  EXPECT_EQ(Confined([&] { return IsRefused(ftruncate(file, 8192)); }), 0);
  EXPECT_EQ(Confined([&] { return IsRefused(fallocate(file, 0, 0, 8192)); }), 0);
  EXPECT_EQ(Confined([&] {
              return mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) ==
                         MAP_FAILED &&
                     errno == EPERM;
            }),
            0);
  EXPECT_EQ(
      Confined([&] { return mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0) != MAP_FAILED; }),
      0);
  close(file);
}

TEST(WorkerSandboxTest, HasMemoryAndThreads) {
  SKIP_UNLESS_CONFINED();
  if (kSanitizerTakesMemory) GTEST_SKIP() << "sanitizers use more of the system";
  EXPECT_EQ(Confined([] {
              bool ran = false;
              std::thread thread([&] { ran = true; });
              thread.join();
              void* volatile memory = malloc(size_t{200} << 20);
              free(memory);
              return ran && memory != nullptr;
            }),
            0);
  EXPECT_EQ(Confined([] {
              int policy = 0;
              sched_param parameters = {};
              return pthread_getschedparam(pthread_self(), &policy, &parameters) == 0;
            }),
            0);
}

TEST(WorkerSandboxTest, CanAbort) {
  SKIP_UNLESS_CONFINED();
  EXPECT_EQ(Confined([]() -> bool {
              signal(SIGABRT, SIG_DFL);
              abort();
            }),
            256 + SIGABRT);
}

TEST(WorkerSandboxTest, LimitsMemory) {
  if (kSanitizerTakesMemory) GTEST_SKIP() << "sanitizers reserve memory of their own";
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not limit memory";
  const pid_t child = fork();
  if (child == 0) {
    if (!LimitWorker(uint64_t{64} << 20).ok()) _exit(2);
    void* volatile small = malloc(size_t{16} << 20);
    void* volatile large = malloc(size_t{128} << 20);
    _exit(small != nullptr && large == nullptr ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// Such memory does not count as data (RLIMIT_DATA).
TEST(WorkerSandboxTest, LimitsMemoryThatIsOnlyReadAfterItWasWritten) {
  if (kSanitizerTakesMemory) GTEST_SKIP() << "sanitizers reserve memory of their own";
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not limit memory";
  constexpr size_t kSize = size_t{32} << 20;
  const pid_t child = fork();
  if (child == 0) {
    if (!LimitWorker(uint64_t{64} << 20).ok()) _exit(2);
    size_t total = 0;
    while (total < size_t{4} << 30) {
      void* const memory =
          mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) _exit(total > 0 ? 0 : 3);
      mprotect(memory, kSize, PROT_READ);
      total += kSize;
    }
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(WorkerSandboxTest, NoLimitIsNoLimit) {
  const pid_t child = fork();
  if (child == 0) {
    rlimit before = {}, after = {};
    getrlimit(RLIMIT_DATA, &before);
    if (!LimitWorker(UINT64_MAX).ok()) _exit(2);
    getrlimit(RLIMIT_DATA, &after);
    _exit(before.rlim_cur == after.rlim_cur ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace firstcall

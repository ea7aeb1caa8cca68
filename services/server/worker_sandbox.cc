#include "services/server/worker_sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace firstcall {
namespace {

absl::Status SystemError(absl::string_view operation) {
  return absl::InternalError(absl::StrCat("a worker: ", operation, ": ", std::strerror(errno)));
}

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;
#endif

// Reading and writing what is open; memory; threads; time; signals of this process.
constexpr long kAllowed[] = {
    SYS_read,
    SYS_write,
    SYS_pread64,
    SYS_readv,
    SYS_writev,
    SYS_recvmsg,
    SYS_sendmsg,
    SYS_recvfrom,
    SYS_sendto,
    SYS_setsockopt,
    SYS_ppoll,
    SYS_close,
    SYS_fstat,
    SYS_lseek,
    SYS_dup,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_membarrier,
    SYS_futex,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_getparam,  // Abseil asks when threads wait for a mutex.
    SYS_sched_getscheduler,
    SYS_exit,
    SYS_exit_group,
    SYS_gettid,
    SYS_getpid,
    SYS_getrandom,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getrusage,
    SYS_sysinfo,
#if defined(__x86_64__)
    SYS_poll,
    SYS_arch_prctl,
    SYS_time,
#endif
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
    // How the sanitizer finds out whether memory can be read.
    SYS_pipe2,
#if defined(__x86_64__)
    SYS_pipe,
#endif
#endif
#endif
};

// Builds a filter of the system's virtual machine.
class Filter {
 public:
  void Load(size_t offset) {
    Add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
  }
  void ReturnIfEqual(uint32_t value, uint32_t action) {
    Add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    Return(action);
  }
  void ReturnIfNotEqual(uint32_t value, uint32_t action) {
    Add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
    Return(action);
  }
  void ReturnIfAtLeast(uint32_t value, uint32_t action) {
    Add(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, 0, 1));
    Return(action);
  }
  // If the call is `number`: `matching` if its argument has any of `bits`, else `others`.
  void ReturnByBits(long number, int argument, uint32_t bits, uint32_t matching, uint32_t others) {
    Add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 4));
    Load(offsetof(seccomp_data, args) + 8 * static_cast<size_t>(argument));
    Add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    Return(matching);
    Return(others);
  }
  // The same, with `value` instead of bits.
  void ReturnByValue(long number, int argument, uint32_t value, uint32_t matching,
                     uint32_t others) {
    Add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 4));
    Load(offsetof(seccomp_data, args) + 8 * static_cast<size_t>(argument));
    Add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    Return(matching);
    Return(others);
  }
  // The same, with several values.
  void ReturnByValues(long number, int argument, absl::Span<const uint32_t> values,
                      uint32_t matching, uint32_t others) {
    const auto behind = static_cast<uint8_t>(2 * values.size() + 2);
    Add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, behind));
    Load(offsetof(seccomp_data, args) + 8 * static_cast<size_t>(argument));
    for (const uint32_t value : values) ReturnIfEqual(value, matching);
    Return(others);
  }
  // If the call is mmap: `refused` if the memory is to be executable, or if it is shared and not
  // only read from a file, so that no limit counts it; else `others`.
  void ReturnOfMapping(uint32_t refused, uint32_t others) {
    constexpr auto kArgument = [](size_t i) { return offsetof(seccomp_data, args) + 8 * i; };
    constexpr uint8_t kAll = 12;  // The instructions that follow.
    Add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, kAll));
    Load(kArgument(2));
    Add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1));
    Return(refused);
    Load(kArgument(3));
    Add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 1, 0));
    Return(others);
    Add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 1));
    Return(refused);
    Load(kArgument(2));
    Add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_WRITE, 0, 1));
    Return(refused);
    Return(others);
  }
  void Return(uint32_t action) { Add(BPF_STMT(BPF_RET | BPF_K, action)); }

  bool Install() {
    sock_fprog program = {static_cast<unsigned short>(code_.size()), code_.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

 private:
  void Add(sock_filter instruction) { code_.push_back(instruction); }
  std::vector<sock_filter> code_;
};

// What a worker's address space may have beside its private writable memory, in bytes: modules,
// ranges that the allocator reserves.
constexpr uint64_t kOtherMemory = uint64_t{1} << 30;

// In bytes.
struct MemorySize {
  uint64_t all = 0;   // As RLIMIT_AS counts it.
  uint64_t data = 0;  // As RLIMIT_DATA does: what is private and writable.
};

MemorySize OwnSize() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return {};
  unsigned long pages[6] = {};
  const int count = std::fscanf(file, "%lu %lu %lu %lu %lu %lu", &pages[0], &pages[1], &pages[2],
                                &pages[3], &pages[4], &pages[5]);
  std::fclose(file);
  const auto page_size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return count == 6 ? MemorySize{pages[0] * page_size, pages[5] * page_size} : MemorySize();
}

// The largest number if the sum is larger: then there is no limit.
uint64_t SumOf(uint64_t a, uint64_t b) { return a + std::min(b, UINT64_MAX - a); }

bool Limit(decltype(RLIMIT_DATA) resource, uint64_t most) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0) return false;
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, most);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  return setrlimit(resource, &limit) == 0;
}

}  // namespace

absl::Status LimitWorker(uint64_t memory) {
  if (!Limit(RLIMIT_CORE, 0)) return SystemError("RLIMIT_CORE");
  const MemorySize now = OwnSize();
  if (!Limit(RLIMIT_DATA, SumOf(now.data, memory))) return SystemError("RLIMIT_DATA");
  // Memory that was written to and is only read now does not count as data.
  if (!Limit(RLIMIT_AS, SumOf(now.all, SumOf(memory, kOtherMemory)))) {
    return SystemError("RLIMIT_AS");
  }
  return absl::OkStatus();
}

absl::Status ConfineWorker() {
  if (kArchitecture == 0) return absl::UnimplementedError("no filter for this architecture");
  constexpr uint32_t kYes = SECCOMP_RET_ALLOW;
  constexpr uint32_t kNo = SECCOMP_RET_ERRNO | EPERM;
  const auto self = static_cast<uint32_t>(getpid());
  Filter filter;
  filter.Load(offsetof(seccomp_data, arch));
  filter.ReturnIfNotEqual(kArchitecture, kNo);
  filter.Load(offsetof(seccomp_data, nr));
  filter.ReturnIfAtLeast(0x40000000, kNo);  // Calls of x32.
  for (long number : kAllowed) filter.ReturnIfEqual(static_cast<uint32_t>(number), kYes);
  filter.ReturnOfMapping(kNo, kYes);
  filter.ReturnByBits(SYS_mprotect, 2, PROT_EXEC, kNo, kYes);
  filter.ReturnByBits(SYS_clone, 0, CLONE_THREAD, kYes, kNo);
  // Its arguments lie in memory, which a filter cannot read. The C library uses clone then.
  filter.ReturnIfEqual(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  filter.ReturnByValue(SYS_prlimit64, 0, /*this process*/ 0, kYes, kNo);
  // Not those by which the system sends signals for a file.
  filter.ReturnByValues(SYS_fcntl, 1,
                        {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GET_SEALS},
                        kYes, kNo);
  filter.ReturnByValue(SYS_tgkill, 0, self, kYes, kNo);                         // abort.
  filter.ReturnByBits(SYS_newfstatat, 3, /*AT_EMPTY_PATH*/ 0x1000, kYes, kNo);  // fstat.
  filter.ReturnByValue(SYS_prctl, 0, PR_SET_VMA, kYes, kNo);  // Names of the allocator's memory.
  filter.Return(kNo);
  if (!filter.Install()) {
    return absl::UnimplementedError(absl::StrCat("a worker: seccomp: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

}  // namespace firstcall

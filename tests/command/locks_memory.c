// Locks its memory, then calls functions for the first time.
//
//   locks_memory all         what there is and what comes; prints the result, and by how much all
//                            resident memory is larger than before, in KiB
//   locks_memory future MIB  what comes, of which the process may have MIB

#define _GNU_SOURCE
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ONE(n)                                       \
  __attribute__((noinline)) static int f##n(int x) { \
    for (int i = 0; i < x; ++i) x = x * 3 % 1##n;    \
    return x;                                        \
  }
#define TEN(n) \
  ONE(n##0)    \
  ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
TEN(1)
TEN(2)
TEN(3)
#undef ONE
#define ONE(n) f##n,
static int (*const volatile functions[])(int) = {TEN(1) TEN(2) TEN(3)};

static long resident(void) {
  char line[200];
  long kib = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof(line), status)) sscanf(line, "VmRSS: %ld", &kib);
  if (status != NULL) fclose(status);
  return kib;
}

// With it there is no limit.
static int drop_privilege(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) != 0) return -1;
  data[0].effective &= ~(1u << CAP_IPC_LOCK);
  return (int)syscall(SYS_capset, &header, data);
}

int main(int argc, char **argv) {
  int flags = MCL_CURRENT | MCL_FUTURE;
  if (argc > 2 && strcmp(argv[1], "future") == 0) {
    const rlim_t bytes = (rlim_t)atoi(argv[2]) << 20;
    const struct rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || drop_privilege() != 0) return 9;
    flags = MCL_FUTURE;
  }
  const int result = mlockall(flags);
  const long locked = resident();
  int sum = 0;
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i) sum += functions[i](9);
  printf("%d %d\n", result, sum);
  if (flags != MCL_FUTURE) printf("%ld %ld\n", locked, resident());
  return 0;
}

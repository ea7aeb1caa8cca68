/* Assembly that misaligns the stack gets away with it natively as long as no aligned vector
   instruction is met: first calls, loops that get hot, atexit and exit must not have any, either.
 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static long first(long x) { return x + 1; }

__attribute__((noinline)) static long loop(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) sum ^= i * 3;
  return sum;
}

static void handler(void) { puts("exits"); }

static long add_handler(long x) { return atexit(handler) + x; }

static long leave(long status) {
  exit((int)status);
  return 0;
}

/* Calls `function` with a stack eight bytes off. */
static long call(long (*function)(long), long argument) {
  long result;
  __asm__ volatile(
      "movq %%rsp, %%rbx\n\t"
      "subq $256, %%rsp\n\t"
      "andq $-16, %%rsp\n\t"
      "pushq %%rbx\n\t"
      "call *%2\n\t"
      "movq %%rbx, %%rsp"
      : "=a"(result), "+D"(argument)
      : "r"(function)
      : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
  return result;
}

int main(void) {
  printf("%ld\n", call(first, 4));
  for (int i = 0; i < 2000; i++) {
    if (call(loop, 300) != loop(300)) return 1;
  }
  printf("%ld\n", call(add_handler, 7));
  fflush(stdout);
  call(leave, 3);
  return 4;
}

// A variable of a module's assembly that is local by a directive of its own, and common. Found with
// our own programs.
//
// only: x86_64
#include <stdio.h>

__asm__(
    ".local ticks\n"
    ".comm ticks,8,8\n"
    ".text\n"
    ".globl tick\n"
    "tick:\n"
    "  addq $3, ticks(%rip)\n"
    "  movq ticks(%rip), %rax\n"
    "  ret\n");

extern long tick(void);

int main(void) {
  long sum = 0;
  for (int i = 0; i < 10; i++) sum += tick();
  printf("%ld\n", sum);
  return 0;
}

/* Inline assembly, of the module and in a function, that names what is static in the source. */
#include <stdio.h>

static int helper(int x) __attribute__((used, noinline));
static int helper(int x) { return x * 2; }
static int table[3] __attribute__((used)) = {4, 5, 6};

int through(int x);
__asm__(".text\n.globl through\n.type through,@function\nthrough: jmp helper\n");
int *address(void);
__asm__(".globl address\naddress: lea table(%rip), %rax\n ret\n");

__attribute__((noinline)) int call_inside(int x) {
  int result;
  __asm__ volatile("movl %1, %%edi\n call helper\n movl %%eax, %0"
                   : "=r"(result)
                   : "r"(x)
                   : "rdi", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
  return result;
}

int main(void) {
  printf("%d %d %d\n", through(4), address()[1], call_inside(21));
  return 0;
}

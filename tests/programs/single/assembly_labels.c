// Module-level assembly with labels that are in no symbol table, and a name that needs quotes.
#include <stdio.h>

asm(".text\n"
    ".globl sum_until\n"
    "sum_until: xor %eax, %eax\n"
    "1: add %edi, %eax\n"
    "dec %edi\n"
    "jnz 1b\n"
    ".Lend: ret\n"
    "\"an odd name\": ret\n");

int sum_until(int n);

int main(void) {
  printf("%d\n", sum_until(10));
  return 0;
}

// A function's inline assembly has entries, whose addresses are in a table of constants. Found with
// our own programs.
//
// flags: -fno-pie
// only: x86_64
#include <stdio.h>

extern char square_entry, double_entry, increment_entry;
static const void *const entries[] = {&increment_entry, &double_entry, &square_entry};

__attribute__((noinline)) static long enter(long value, int which) {
  __asm__ volatile(
      "jmp *%1\n"
      ".globl square_entry\nsquare_entry: imulq %0, %0\n"
      ".globl double_entry\ndouble_entry: addq %0, %0\n"
      ".globl increment_entry\nincrement_entry: incq %0\n"
      : "+r"(value)
      : "r"(entries[which]));
  return value;
}

int main(void) {
  long sum = 0;
  for (int i = 0; i < 3000; i++) sum += enter(i, i % 3);
  printf("%ld\n", sum);
  return 0;
}

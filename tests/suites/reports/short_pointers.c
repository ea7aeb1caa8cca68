// A loop that fills a list whose pointers have 32 bits. LLVM cannot select instructions for it with
// AVX-512, which the program does not ask for. Found with compiler flags.
//
// flags: -fms-extensions
// only: x86_64
#include <stdio.h>
#include <sys/mman.h>

struct item {
  int value;
  struct item *__ptr32 next;
};

__attribute__((noinline)) static void chain(struct item *items, int count) {
  for (int i = 0; i < count; i++) {
    items[i].value = 3 * i;
    items[i].next = (struct item *__ptr32)&items[i + 1];
  }
}

int main(void) {
  struct item *items =
      mmap(NULL, 1 << 14, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  long sum = 0;
  for (int round = 0; round < 2000; round++) {
    chain(items, 500);
    sum += items[round % 500].next->value;
  }
  printf("%ld\n", sum);
  return 0;
}

// Fills 8 MiB of heap with small blocks and frees them, 64 times. Prints how many times the heap
// has become smaller.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kBlocks = 8192, kSize = 1000, kTimes = 64 };

static void *blocks[kBlocks];

// Returns whether the heap has become smaller.
static int FillAndEmpty(int count) {
  for (int i = 0; i < count; ++i) blocks[i] = malloc(kSize);
  const char *const end = sbrk(0);
  for (int i = 0; i < count; ++i) free(blocks[i]);  // The end of the heap last.
  return (const char *)sbrk(0) < end;
}

int main(void) {
  // Whatever the first calls leave on the heap lies below the blocks.
  FillAndEmpty(1);
  int times = 0;
  for (int i = 0; i < kTimes; ++i) times += FillAndEmpty(kBlocks);
  printf("%d\n", times);
  return 0;
}

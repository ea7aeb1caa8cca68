// Fills 8 MiB of heap with small blocks and frees them, 64 times. Prints by how many page faults
// that was done.

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { kBlocks = 8192, kSize = 1000, kTimes = 64 };

static void *blocks[kBlocks];

static long Faults(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

static void FillAndEmpty(int count) {
  for (int i = 0; i < count; ++i) {
    blocks[i] = malloc(kSize);
    *(volatile char *)blocks[i] = 1;
  }
  for (int i = 0; i < count; ++i) free(blocks[i]);  // The end of the heap last.
}

int main(void) {
  // Whatever the first calls leave on the heap lies below the blocks.
  FillAndEmpty(1);
  const long before = Faults();
  for (int time = 0; time < kTimes; ++time) FillAndEmpty(kBlocks);
  printf("%ld\n", Faults() - before);
  return 0;
}

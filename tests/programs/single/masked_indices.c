/* Hot loops whose indices wrap around, with as many iterations as an index has values. */
#include <stdio.h>

enum { kEntries = 16, kRounds = 50000 };

static int table[kEntries];
static double from[256];
static double to[kEntries];

__attribute__((noinline)) static void pick(void) {
  for (int i = 0; i < kEntries; ++i) {
    const int place = table[(i * 7) & 15];
    to[i] = from[place] * 2 + from[place + 16];
  }
}
__attribute__((noinline)) static void pick_backwards(void) {
  for (int i = 0; i < kEntries; ++i) {
    const int place = table[(31 - i * 3) & 15];
    to[i] = from[place] - from[place + 1];
  }
}

int main(void) {
  double total = 0;
  for (int i = 0; i < kEntries; ++i) table[i] = i * 5;
  for (int i = 0; i < 256; ++i) from[i] = i * i % 97;
  for (int round = 0; round < kRounds; ++round) {
    pick();
    for (int i = 0; i < kEntries; ++i) total = total * 0.5 + to[i];
    pick_backwards();
    for (int i = 0; i < kEntries; ++i) total = total * 0.5 + to[i];
    from[round % 256] = round % 89;
  }
  printf("%.17g\n", total);
  return 0;
}

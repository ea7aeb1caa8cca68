// More variables than 32-bit distances reach, compiled for the code model that this needs.

#include <stddef.h>
#include <stdio.h>

#define MIB ((size_t)1 << 20)

static char below[2500 * MIB];
char between[1200 * MIB];
static int above[300 * MIB];
static int near = 7;

static int *const inside = &above[299 * MIB];

__attribute__((noinline)) static void write_at(size_t place, char value) {
  below[place] = value;
  between[place / 4] = value + 1;
  above[place / 16] = near++;
}

int main(int argc, char **argv) {
  (void)argv;
  for (size_t i = 0; i < 20; ++i) write_at(i * 100 * MIB + argc - argc, (char)i);
  *inside = 5;
  long long sum = 0;
  for (size_t i = 0; i < 20; ++i) {
    sum = sum * 3 + below[i * 100 * MIB] + between[i * 25 * MIB] + above[i * 25 * MIB / 4];
  }
  printf("%lld %d %d\n", sum, above[299 * MIB], near);
  printf("%d %d\n", below[2500 * MIB - 1], between[1200 * MIB - 1]);
  printf("%d\n", &below[2500 * MIB] - below == 2500 * (ptrdiff_t)MIB);
  return 0;
}

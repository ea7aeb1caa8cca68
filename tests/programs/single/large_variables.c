// More variables than an arena has room for, of every kind: zeros, zeros that are constant, values,
// a pointer into another variable, many of medium size. What is not written takes no memory.

#include <stdio.h>
#include <string.h>

#define MIB ((size_t)1 << 20)

static char zeros[1100 * MIB];
long long numbers[50 * MIB];  // 400 MiB.
static const char constant_zeros[20 * MIB];
static int values[MIB] = {1, 2, 3};
static struct {
  char *into_zeros;
  char rest[17 * MIB];
} structure = {&zeros[1000 * MIB + 5], ""};
static char many[20][10 * MIB];
static char m0[9 * MIB], m1[9 * MIB], m2[9 * MIB], m3[9 * MIB], m4[9 * MIB], m5[9 * MIB],
    m6[9 * MIB], m7[9 * MIB], m8[9 * MIB];
static char small[1000];

static char *const medium[] = {m0, m1, m2, m3, m4, m5, m6, m7, m8};

// How many KiB of memory this process has, or more than there are if that is not known.
static long resident(void) {
  char line[200];
  long kib = 1L << 40;
  FILE *status = fopen("/proc/self/status", "r");
  if (status == NULL) return kib;
  while (fgets(line, sizeof(line), status)) sscanf(line, "VmRSS: %ld", &kib);
  fclose(status);
  return kib;
}

__attribute__((noinline)) static void write_ends(char value) {
  zeros[0] = value;
  zeros[sizeof(zeros) - 1] = value + 1;
  numbers[sizeof(numbers) / sizeof(numbers[0]) - 1] = value + 2;
  values[sizeof(values) / sizeof(values[0]) - 1] = value + 3;
  structure.rest[sizeof(structure.rest) - 1] = value + 4;
  many[19][10 * MIB - 1] = value + 5;
  m0[9 * MIB - 1] = m8[0] = value + 6;
  small[999] = value + 7;
}

__attribute__((noinline)) static long long sum_of_ends(size_t last) {
  return zeros[0] + zeros[sizeof(zeros) - 1] + numbers[sizeof(numbers) / sizeof(numbers[0]) - 1] +
         values[sizeof(values) / sizeof(values[0]) - 1] + values[2] +
         structure.rest[sizeof(structure.rest) - 1] + many[19][last] + m0[9 * MIB - 1] + m8[0] +
         small[999] + constant_zeros[last];
}

int main(int argc, char **argv) {
  (void)argv;
  printf("%lld\n", sum_of_ends(10 * MIB - argc / 1000 - 1));
  for (char value = 1; value < 40; ++value) {
    write_ends(value);
    printf("%lld ", sum_of_ends(10 * MIB - 1));
  }
  *structure.into_zeros = 17;
  printf("\n%d %td\n", zeros[1000 * MIB + 5], structure.into_zeros - zeros);
  for (size_t i = 0; i < sizeof(medium) / sizeof(medium[0]); ++i) {
    printf("%d ", medium[i][0] + medium[i][9 * MIB - 1]);
  }
  memset(&zeros[500 * MIB], 3, 100);
  printf("\n%d %d\n", zeros[500 * MIB + 99], zeros[500 * MIB + 100]);
  printf("%s\n", resident() < 1000 * 1024 ? "little memory" : "much memory");
  return 0;
}

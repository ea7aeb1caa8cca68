// The tables of -fexperimental-sanitize-metadata: the code generator writes them for functions and
// for single instructions, and the program gets their bounds. It is the runtime library, too.
#include <stdio.h>

static long covered, atomics;

void __sanitizer_metadata_covered_add(unsigned version, const char *begin, const char *end) {
  (void)version;
  covered = end - begin;
}
void __sanitizer_metadata_covered_del(unsigned version, const char *begin, const char *end) {
  (void)version, (void)begin, (void)end;
}
void __sanitizer_metadata_atomics_add(unsigned version, const char *begin, const char *end) {
  (void)version;
  atomics = end - begin;
}
void __sanitizer_metadata_atomics_del(unsigned version, const char *begin, const char *end) {
  (void)version, (void)begin, (void)end;
}

static int sum;

__attribute__((noinline)) static int Add(int x) {
  return __atomic_add_fetch(&sum, x, __ATOMIC_RELAXED);
}

__attribute__((used)) static int Uncalled(int x) {
  return __atomic_exchange_n(&sum, x, __ATOMIC_RELAXED);
}

int main(int argc, char **argv) {
  (void)argv;
  printf("%d %d\n", Add(argc), Add(2));
  // Two atomic operations, of which each has a place of 4 bytes or more.
  printf("%d %d\n", covered > 0, atomics >= 8);
  return 0;
}

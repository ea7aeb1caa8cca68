// The tables that -fsanitize-coverage makes: guards, and the places of blocks, in sections that are
// found by their bounds. The program is the runtime library, too.
#include <stdint.h>
#include <stdio.h>

#define NOT_COVERED __attribute__((no_sanitize("coverage")))

static int guards, hits;
static long places, entries;

NOT_COVERED void __sanitizer_cov_trace_pc_guard_init(uint32_t *begin, uint32_t *end) {
  for (; begin < end; ++begin) *begin = ++guards;
}

NOT_COVERED void __sanitizer_cov_trace_pc_guard(const uint32_t *guard) {
  if (*guard != 0) ++hits;
}

NOT_COVERED void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end) {
  for (; begin < end; begin += 2) {
    ++places;
    entries += begin[1] & 1;
  }
}

__attribute__((noinline)) static int Next(int x) { return x % 2 != 0 ? 3 * x + 1 : x / 2; }

int main(int argc, char **argv) {
  (void)argv;
  int steps = 0;
  for (int x = argc + 26; x != 1 && steps < 1000; x = Next(x)) ++steps;
  // How many blocks there are depends on what was optimized.
  printf("%d steps, hits: %d, guards: %d\n", steps, hits > 0, guards > 1);
  printf("as many places as guards: %d, entries: %ld\n", places == guards, entries);
  return 0;
}

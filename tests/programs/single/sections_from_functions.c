// Entries that assembly in functions writes into a section, which is found by its bounds. One of
// the functions is never called. (As those of kernels for exceptions and patches.)
#include <stdio.h>
#include <string.h>

struct Entry {
  const char *text;
  long line;
};
extern const struct Entry __start_entries[], __stop_entries[];

#ifdef __aarch64__
#define WORD ".xword"
#else
#define WORD ".quad"
#endif
#define ENTRY(text)                                                                           \
  __asm__ volatile(".pushsection entries,\"aw\"\n" WORD " %c0, %c1\n.popsection" ::"i"(text), \
                   "i"(__LINE__))

enum { first_line = __LINE__ + 3 };

__attribute__((noinline)) int First(int x) {
  ENTRY("in the first");
  return x + 1;
}

__attribute__((noinline)) int Second(int x) {
  ENTRY("in the second");
  return x * 2;
}

int Uncalled(int x) {
  ENTRY("in one that is not called");
  return x;
}

// A function that was inlined has written its entry once more.
static int Has(const char *text, long line) {
  for (const struct Entry *entry = __start_entries; entry < __stop_entries; ++entry) {
    if (entry->line == line && strcmp(entry->text, text) == 0) return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  (void)argv;
  printf("%d %d %d %d\n", Has("in the first", first_line), Has("in the second", first_line + 5),
         Has("in one that is not called", first_line + 10), Has("in none", first_line));
  printf("%d\n", First(Second(argc)));
  return 0;
}

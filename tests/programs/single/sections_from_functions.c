// Entries that assembly in functions writes into a section, which is found by its bounds. One of
// the functions is never called. (As those of kernels for exceptions and patches.)
#include <stdio.h>

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

int main(int argc, char **argv) {
  (void)argv;
  for (const struct Entry *entry = __start_entries; entry < __stop_entries; ++entry) {
    printf("%s: %ld\n", entry->text, entry->line);
  }
  printf("%d\n", First(Second(argc)));
  return 0;
}

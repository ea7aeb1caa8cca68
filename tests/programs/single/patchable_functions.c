// A program that finds the places to patch in its functions: the code generator lists them in a
// section, which is found by its bounds. One of the functions is never called.
#include <stdio.h>

#define PATCHABLE __attribute__((patchable_function_entry(4, 2), noinline))

extern char *const __start___patchable_function_entries[];
extern char *const __stop___patchable_function_entries[];

PATCHABLE static int first(int x) { return x + 1; }
PATCHABLE int second(int x) { return first(x) * 2; }
PATCHABLE __attribute__((used)) static int uncalled(int x) { return x - 1; }

#ifdef __aarch64__
enum { kNopBytes = 4 };
static const unsigned char nop[kNopBytes] = {0x1f, 0x20, 0x03, 0xd5};
#else
enum { kNopBytes = 1 };
static const unsigned char nop[kNopBytes] = {0x90};
#endif

static int IsNop(const char *place) {
  for (int i = 0; i < kNopBytes; ++i) {
    if ((unsigned char)place[i] != nop[i]) return 0;
  }
  return 1;
}

int main(void) {
  int places = 0;
  int nops = 0;
  for (char *const *entry = __start___patchable_function_entries;
       entry != __stop___patchable_function_entries; ++entry) {
    ++places;
    nops += IsNop(*entry) && IsNop(*entry + kNopBytes);
  }
  printf("%d places, %d with nops\n", places, nops);
  printf("%d\n", second(20));
  return 0;
}

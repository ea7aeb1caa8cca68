// A program that loads its collector (libgc) while it runs, and whose variables alone lead to what
// it uses.

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { kSize = 64, kPieces = 1000 };

static void* (*allocate)(size_t size);
static long* pieces[kPieces];

static __attribute__((noinline)) void Fill(void) {
  for (int i = 0; i < kPieces; i++) {
    pieces[i] = allocate(kSize);
    pieces[i][1] = i;
  }
}

// Uses the memory of what was collected.
static __attribute__((noinline)) void Litter(void) {
  for (int i = 0; i < 10 * kPieces; i++) memset(allocate(kSize), 0x55, kSize);
}

int main(void) {
  void* library = dlopen("libgc.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) return 1;
  ((void (*)(void))dlsym(library, "GC_init"))();
  allocate = (void* (*)(size_t))dlsym(library, "GC_malloc");
  Fill();
  ((void (*)(void))dlsym(library, "GC_gcollect"))();
  Litter();
  int kept = 0;
  for (int i = 0; i < kPieces; i++) kept += pieces[i][1] == i;
  printf("%d\n", kept);
  return 0;
}

// Old versions of the C library's functions, which a directive asks for. Found with our own
// programs.
//
// only: x86_64
#include <stdio.h>
#include <stdlib.h>

__asm__(".symver copy_old, memcpy@GLIBC_2.2.5");
__asm__(".symver resolve_old, realpath@GLIBC_2.3");
extern void *copy_old(void *, const void *, size_t);
extern char *resolve_old(const char *, char *);

int main(void) {
  char text[32] = "", path[4096];
  copy_old(text, "an old version", 15);
  printf("%s %s\n", text, resolve_old("/usr/../usr/.", path));
  return 0;
}

// A program that never uses LLVM: prints which of LLVM's and firstcall's libraries it has.

#include <stdio.h>
#include <string.h>

int main(void) {
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
    if (strstr(line, "libLLVM") != NULL) puts("LLVM is loaded");
    if (strstr(line, "libfirstcall_mcjit_engine") != NULL ||
        strstr(line, "libfirstcall_orc_engine") != NULL) {
      puts("the engine is loaded");
    }
    if (strstr(line, "libstdc++") != NULL) puts("the C++ library is loaded");
  }
  puts("end");
  return 0;
}

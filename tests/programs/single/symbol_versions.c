/* Versions of symbols that assembly chooses: of symbols of the process, and of this module's own.
 */
#include <stdio.h>
#include <string.h>

#if defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#else
#define OLDEST "GLIBC_2.2.5"
#endif

__asm__(".symver old_memcpy, memcpy@" OLDEST
        "\n"
        ".symver strlen, strlen@" OLDEST
        "\n"
        ".symver first_answer, answer@VERSION_1\n"
        ".symver second_answer, answer@@VERSION_2\n"
        ".symver now, changing@@@VERSION_2\n");

void *old_memcpy(void *, const void *, size_t);
int first_answer(void);
int second_answer(void);
int answer(void);

int first_answer(void) { return 1; }
int second_answer(void) { return 2; }
int now(void) { return 3; }

static void *(*const copies[])(void *, const void *, size_t) = {old_memcpy, memcpy};

int main(void) {
  char text[16] = "";
  for (int i = 0; i < 2; ++i) copies[i](&text[3 * i], &"abcdef"[3 * i], 4);
  old_memcpy(text + 6, "ghi", 4);
  printf("%s %zu\n", text, strlen(text));
  printf("%d %d %d %d\n", first_answer(), second_answer(), answer(), now());
  return 0;
}

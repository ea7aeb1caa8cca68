/* The C library calls back into code that is not compiled yet. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls;
static int by_value(const void *a, const void *b) {
  ++calls;
  return *(const int *)a - *(const int *)b;
}
static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int main(void) {
  int numbers[] = {5, 2, 9, -1, 7, 0};
  const char *words[] = {"pear", "apple", "fig"};
  qsort(numbers, 6, sizeof(int), by_value);
  qsort(words, 3, sizeof(char *), by_text);
  int key = 7;
  int *found = bsearch(&key, numbers, 6, sizeof(int), by_value);
  for (int i = 0; i < 6; ++i) printf("%d ", numbers[i]);
  printf("%s %s %s at %d, called: %d\n", words[0], words[1], words[2], (int)(found - numbers),
         calls > 0);
  return 0;
}

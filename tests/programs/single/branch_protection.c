/* Functions with landing pads for indirect branches, and switches, callbacks and setjmp compiled
 * for them. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf place;
static int one(int n) { return n + 1; }
static int two(int n) { return n * 2; }
__attribute__((nocf_check)) static int unchecked(int n) { return n - 3; }
static int leave(int n) { longjmp(place, n); }
static int (*volatile table[])(int) = {one, two, leave};
static int (*volatile other)(int) __attribute__((nocf_check)) = unchecked;

static int compare(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
static int dispatch(int n) {
  static void *const labels[] = {&&first, &&second, &&third};
  goto *labels[n % 3];
first:
  return 10;
second:
  return 20;
third:
  return 30;
}
static const char *name(int n) {
  switch (n) {
    case 0:
      return "zero";
    case 1:
      return "one";
    case 2:
      return "two";
    case 3:
      return "three";
    case 4:
      return "four";
    case 5:
      return "five";
    default:
      return "many";
  }
}

int main(void) {
  char text[] = "zebra";
  qsort(text, 5, 1, compare);
  printf("%s %d %d %d\n", text, table[0](4), table[1](4), other(4));
  int back = setjmp(place);
  if (back == 0) table[2](9);
  printf("%d %d %d %s %s\n", back, dispatch(1), dispatch(5), name(4), name(9));
  return 0;
}

/* An interpreter that jumps through a table of label addresses. */
#include <stdio.h>

static int run(const unsigned char *code, int x) {
  static const void *const labels[] = {&&increment, &&twice, &&negate, &&loop, &&stop};
  int count = 3;
  const unsigned char *p = code;
  goto *labels[*p++];
increment:
  ++x;
  goto *labels[*p++];
twice:
  x *= 2;
  goto *labels[*p++];
negate:
  x = -x;
  goto *labels[*p++];
loop:
  if (--count) p = code;
  goto *labels[*p++];
stop:
  return x;
}

int main(void) {
  const unsigned char code[] = {0, 1, 2, 3, 4};
  printf("%d %d\n", run(code, 5), run(code, -2));
  return run(code, 1) & 0x3f;
}

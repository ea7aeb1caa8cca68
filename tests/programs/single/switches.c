/* Switches that become tables of jumps, of values, and bit tests. */
#include <stdio.h>

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
    case 6:
      return "six";
    case 1000000:
      return "million";
    default:
      return "many";
  }
}
static int is_vowel(char c) {
  switch (c) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
      return 1;
    default:
      return 0;
  }
}
static int act(int n, int x) {
  switch (n) {
    case 0:
      return x + 1;
    case 1:
      return x * x;
    case 2:
      x += 5; /* fall through */
    case 3:
      return x - 9;
    case 4:
      return x / 3;
    case 5:
      return ~x;
    case 6:
      return x % 7;
    case 7:
      return x << 3;
  }
  return 0;
}

int main(void) {
  int vowels = 0;
  for (const char *p = "compiled when it is called"; *p; ++p) vowels += is_vowel(*p);
  printf("%s %s %s %d\n", name(3), name(1000000), name(-1), vowels);
  for (int i = 0; i < 9; ++i) printf("%d ", act(i, 20));
  puts("");
  return 0;
}

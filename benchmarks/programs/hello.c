// The smallest program that prints: what is measured with it is starting up.
#include <stdio.h>

int main(void) {
  puts("hello");
  return 0;
}

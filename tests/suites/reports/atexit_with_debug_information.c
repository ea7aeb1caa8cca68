// A function that calls atexit, optimized and with debug information: in eager mode the code
// generator crashed. Found with compiler flags.
//
// flags: -g
#include <stdio.h>
#include <stdlib.h>

static void say_goodbye(void) { puts("goodbye"); }

int main(void) {
  atexit(say_goodbye);
  puts("hello");
  return 0;
}

/* The C part of a program of two languages: calls C++, and is called by it. */

#include <stdio.h>

int sum_over_shapes(int count, int (*add_area)(int));

static int seen;

int add_area(int area) {
  seen += area; /* in C again */
  return seen;
}

int run_c(int count) {
  int sum = sum_over_shapes(count, add_area); /* calls C++ */
  printf("seen %d\n", seen);
  return sum;
}

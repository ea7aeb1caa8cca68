/* Recursion, mutual recursion, and recursion through a pointer. */
#include <stdio.h>

static int is_odd(int n);
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }

static int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static long factorial(long n, long (*self)(long, void *), void *p) {
  return n < 2 ? 1 : n * self(n - 1, p);
}
static long factorial_step(long n, void *p) { return factorial(n, factorial_step, p); }

int main(void) {
  printf("%d %d %d %ld\n", is_even(10), is_odd(7), ackermann(2, 3), factorial_step(10, 0));
  return is_even(6) + 2;
}

// A calling convention that changes the names of functions in objects, from C.
#include <stdio.h>
typedef float vec __attribute__((vector_size(16)));
__attribute__((vectorcall, noinline)) vec add(vec a, long n, vec b) { return a + b + (float)n; }
static __attribute__((vectorcall, noinline)) vec subtract(vec a, long n, vec b) {
  return a - b - (float)n;
}
vec __attribute__((vectorcall)) (*table[])(vec, long, vec) = {add, subtract};
int main(int argc, char **argv) {
  (void)argv;
  vec a = {1, 2, 3, 4};
  vec r = table[argc > 0](a, 5, a);
  vec s = add(a, 6, a);
  printf("%g %g\n", (double)r[1], (double)s[2]);
  return 0;
}

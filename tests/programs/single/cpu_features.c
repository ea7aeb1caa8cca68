// What the compiler's runtime knows of the CPU, asked directly and by resolvers of ifuncs.
#include <stdio.h>
__attribute__((target_clones("default", "avx2", "sse4.2"))) int f(int x) { return x * 3; }
__attribute__((target_clones("default", "popcnt"))) static int g(int x) {
  return __builtin_popcount(x);
}
int main() {
  int (*p)(int) = f;
  printf("%d %d %d\n", f(4), g(255), p(5));
  return 0;
}

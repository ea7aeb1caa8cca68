// Recursive calls: Fibonacci numbers, Takeuchi's function, and queens on a board.
#include <stdio.h>

#include "scale.h"

static unsigned Fibonacci(unsigned n) { return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2); }

static int Takeuchi(int x, int y, int z) {
  if (y >= x) return z;
  return Takeuchi(Takeuchi(x - 1, y, z), Takeuchi(y - 1, z, x), Takeuchi(z - 1, x, y));
}

// Ways to place queens on the remaining rows, where the bits say which columns are attacked.
static unsigned Queens(unsigned all, unsigned columns, unsigned left, unsigned right) {
  if (columns == all) return 1;
  unsigned ways = 0;
  for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
    const unsigned bit = free & -free;
    ways += Queens(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return ways;
}

int main(int argc, char** argv) {
  const long scale = Scale(argc, argv, 1500);
  unsigned long sum = 0;
  for (long i = 0; i < scale; ++i) {
    sum += Fibonacci(29 + (sum & 1));
    sum += (unsigned long)Takeuchi(18, 12, 6 - (int)(sum & 1));
    sum += Queens((1u << 10) - 1, sum & 1, 0, 0);
  }
  printf("%lu\n", sum);
  return 0;
}

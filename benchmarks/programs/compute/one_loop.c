// One long loop in main that calls nothing: how far Collatz's sequences go.
#include <stdio.h>

#include "scale.h"

int main(int argc, char** argv) {
  const long scale = Scale(argc, argv, 27000);
  unsigned long sum = 0, longest = 0;
  for (unsigned long first = 1; first < (unsigned long)scale * 1000; ++first) {
    unsigned long steps = 0;
    for (unsigned long number = first; number != 1; ++steps) {
      number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    }
    if (steps > longest) longest = steps;
    sum += steps;
  }
  printf("%lu %lu\n", sum, longest);
  return 0;
}

// All permutations of a few numbers; each is reversed from the front, as many as its first number
// says, until that is the smallest: how often, at most and in all?
#include <stdio.h>

#include "scale.h"

enum { kNumbers = 9 };

static unsigned longest, total;

static void Reverse(signed char* numbers, int count) {
  for (int i = 0, j = count - 1; i < j; ++i, --j) {
    const signed char number = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = number;
  }
}

static unsigned Flips(const signed char* permutation) {
  signed char numbers[kNumbers];
  for (int i = 0; i < kNumbers; ++i) numbers[i] = permutation[i];
  unsigned flips = 0;
  while (numbers[0] != 0) {
    Reverse(numbers, numbers[0] + 1);
    ++flips;
  }
  return flips;
}

static void Permute(signed char* numbers, int count) {
  if (count == 1) {
    const unsigned flips = Flips(numbers);
    if (flips > longest) longest = flips;
    total += flips;
    return;
  }
  for (int i = 0; i < count; ++i) {
    Permute(numbers, count - 1);
    const int other = count % 2 == 0 ? i : 0;
    const signed char number = numbers[other];
    numbers[other] = numbers[count - 1];
    numbers[count - 1] = number;
  }
}

int main(int argc, char** argv) {
  const long scale = Scale(argc, argv, 185);
  for (long i = 0; i < scale; ++i) {
    signed char numbers[kNumbers];
    for (int j = 0; j < kNumbers; ++j) numbers[j] = (signed char)((j + i) % kNumbers);
    Permute(numbers, kNumbers);
  }
  printf("%u %u\n", longest, total);
  return 0;
}

// Two types of exceptions by turns, one caught a frame further out than the other, often enough for
// the functions in between to be compiled anew while they are unwound. Found with our own programs.
#include <cstdio>

struct Near {
  long number;
};
struct Far {
  long number;
};

static long near_sum, far_sum;

__attribute__((noinline)) static void Raise(long number) {
  if (number % 2) throw Near{number};
  throw Far{number};
}

__attribute__((noinline)) static void Inner(long number) {
  try {
    Raise(number);
  } catch (const Near& caught) {
    near_sum += caught.number;
  }
}

__attribute__((noinline)) static void Outer(long number) {
  try {
    Inner(number);
  } catch (const Far& caught) {
    far_sum += caught.number;
  }
}

int main() {
  for (long number = 0; number < 30000; ++number) Outer(number);
  std::printf("%ld %ld\n", near_sum, far_sum);
  return 0;
}

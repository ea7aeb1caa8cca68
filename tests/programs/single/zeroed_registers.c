/* Hot functions that zero the registers which they have used (-fzero-call-used-regs=all), with
 * results in all kinds of registers. */
#include <stdio.h>

enum { kCount = 24, kCalls = 100000 };

__attribute__((noinline)) static double mean(const double *numbers, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += numbers[i];
  return sum / count;
}
__attribute__((noinline)) static float longest(const float *numbers, int count) {
  float most = 0;
  for (int i = 0; i < count; ++i) most = numbers[i] > most ? numbers[i] : most;
  return most;
}
struct sums {
  double numbers;
  long integers;
};
__attribute__((noinline)) static struct sums sums_of(const double *numbers, const int *integers) {
  struct sums sums = {0, 0};
  for (int i = 0; i < kCount; ++i) {
    sums.numbers += numbers[i];
    sums.integers += integers[i];
  }
  return sums;
}
typedef int lanes __attribute__((vector_size(16)));
__attribute__((noinline)) static lanes add(lanes a, lanes b) { return a + b * 3; }

int main(void) {
  double numbers[kCount];
  float short_numbers[kCount];
  int integers[kCount];
  for (int i = 0; i < kCount; ++i) {
    numbers[i] = i + 1;
    short_numbers[i] = (float)(i * 7 % 11);
    integers[i] = i * i;
  }
  double total = 0;
  long zeros = 0;
  lanes vector = {1, 2, 3, 4};
  for (int call = 0; call < kCalls; ++call) {
    const double average = mean(numbers, kCount);
    zeros += average == 0;
    total += average + longest(short_numbers, kCount - call % 3);
    const struct sums both = sums_of(numbers, integers);
    total += both.numbers;
    zeros += both.integers & 1;
    vector = add(vector, (lanes){call, 1, 2, 3});
    vector &= 0xffff;
  }
  printf("%.3f %ld %d %d %d %d\n", total, zeros, vector[0], vector[1], vector[2], vector[3]);
  return 0;
}

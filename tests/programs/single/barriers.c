// Inline assembly without text, as benchmarks and lock-free code use it: values that the optimizer
// must not see through, and barriers between accesses.

#include <stdint.h>
#include <stdio.h>

#define BARRIER() __asm__ volatile("" : : : "memory")
#define OPAQUE(value) __asm__("" : "+r"(value))
#define KEEP(value) __asm__ volatile("" : "+r,m"(value) : : "memory")

struct pair {
  long first, second;
};

static int32_t flag, data[4];

static long sum(int32_t from, int32_t to) {
  long result = 0;
  for (int32_t i = from; i < to; i++) {
    int64_t square = (int64_t)i * i;
    OPAQUE(square);
    result += square;
    KEEP(result);
  }
  return result;
}

static void publish(int32_t value) {
  for (int i = 0; i < 4; i++) data[i] = value + i;
  BARRIER();
  flag = value;
  BARRIER();
}

static struct pair exchanged(long first, long second) {
  struct pair result;
  __asm__("" : "=r"(result.first), "=r"(result.second) : "0"(second), "1"(first));
  return result;
}

int main(void) {
  char narrow = 'a';
  short middle = -300;
  double number = 1.25;
  float single = 0.5f;
  struct pair in_memory = {3, 4};
  const char *text = "text";
  __asm__("" : "+r"(narrow), "+r"(middle));
  __asm__ volatile("" : "+m"(number));
  __asm__ volatile("" : "+m"(single));
  OPAQUE(text);
  __asm__ volatile("" : "+m"(in_memory));
  __asm__ volatile("" : : "r"(&in_memory), "i"(7) : "memory");

  long total = 0;
  for (int i = 0; i < 2000; i++) {
    publish(i);
    total += flag + data[3];
  }
  const struct pair other = exchanged(10, 20);
  printf("%ld %ld %c %d %g %g %s %ld %ld %ld %ld\n", sum(-50, 5000), total, narrow, middle, number,
         single, text, in_memory.first, in_memory.second, other.first, other.second);
  return 0;
}

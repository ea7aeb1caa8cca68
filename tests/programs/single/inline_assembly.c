// Inline assembly as programs write it: operands in registers, in named registers, in memory and as
// constants, results that are inputs, too, registers that the text changes, and loops in the text
// and around it.

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)

static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *high) {
  uint64_t low;
  __asm__("mulq %3" : "=a"(low), "=d"(*high) : "0"(a), "rm"(b) : "cc");
  return low;
}

static uint32_t divide(uint64_t a, uint32_t b, uint32_t *rest) {
  uint32_t quotient;
  __asm__("divl %4"
          : "=a"(quotient), "=d"(*rest)
          : "0"((uint32_t)a), "1"((uint32_t)(a >> 32)), "r"(b)
          : "cc");
  return quotient;
}

static void add_wide(uint64_t to[3], const uint64_t from[3]) {
  __asm__("addq %3, %0\n\tadcq %4, %1\n\tadcq %5, %2"
          : "+&r"(to[0]), "+&r"(to[1]), "+&r"(to[2])
          : "r"(from[0]), "g"(from[1]), "re"(from[2])
          : "cc");
}

static int lowest_bit(uint64_t x) {
  uint64_t at;
  __asm__("bsfq %1, %0" : "=r"(at) : "rm"(x) : "cc");
  return (int)at;
}

static unsigned char compare_exchange(volatile uint64_t *at, uint64_t *expected, uint64_t wanted) {
  unsigned char done;
  __asm__ volatile("lock; cmpxchgq %3, %1\n\tsete %0"
                   : "=q"(done), "+m"(*at), "+a"(*expected)
                   : "r"(wanted)
                   : "memory", "cc");
  return done;
}

static void copy(void *to, const void *from, size_t size) {
  __asm__ volatile("cld; rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static uint16_t swap_bytes(uint16_t x) {
  __asm__("xchgb %b0, %h0" : "+Q"(x));
  return x;
}

static uint32_t rotate(uint32_t x, const int by) {
  __asm__("roll %%cl, %0" : "+r"(x) : "c"(by) : "cc");
  __asm__("rorl %1, %0" : "+r"(x) : "I"(3) : "cc");
  return x;
}

static double root_of_sum(double a, float b) {
  double result;
  __asm__("cvtss2sd %2, %0\n\taddsd %1, %0\n\tsqrtsd %0, %0" : "=&x"(result) : "x"(a), "x"(b));
  return result;
}

static long round_by_x87(double x) {
  long result;
  __asm__("fldl %1\n\tfistpll %0" : "=m"(result) : "m"(x) : "st");
  return result;
}

static uint64_t chain(uint64_t h, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    uint64_t low, high;
    __asm__("mulq %3"
            : "=a"(low), "=d"(high)
            : "0"(h ^ i), "r"(UINT64_C(0x9e3779b97f4a7c15))
            : "cc");
    h = low ^ high;
    __asm__("rolq $7, %0" : "+r"(h) : : "cc");
  }
  return h;
}

static int length(const char *text) {
  int result = 0;
  __asm__("1:\n\tcmpb $0, (%1)\n\tje 2f\n\tincq %1\n\tincl %0\n\tjmp 1b\n2:"
          : "+r"(result), "+r"(text)
          :
          : "cc", "memory");
  return result;
}

static long many(long a, long b, long c, long d, long e, long f) {
  long result;
  __asm__(
      "leaq (%1,%2,2), %0\n\taddq %3, %0\n\tsubq %4, %0\n\txorq %5, %0\n\taddq %6, %0\n\tmovq %0, "
      "%%r12\n\txorl %%ebx, %%ebx\n\tmovq %%r12, %0"
      : "=&r"(result)
      : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f)
      : "rbx", "r12", "cc");
  return result;
}

static const char *vendor(void) {
  static char name[13];
  uint32_t a = 0, b, c, d;
  __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
  memcpy(name, &b, 4);
  memcpy(name + 4, &d, 4);
  memcpy(name + 8, &c, 4);
  return strlen(name) == 12 ? "named" : "nameless";
}

static void run(void) {
  uint64_t high, expected = 5;
  volatile uint64_t cell = 5;
  uint32_t rest;
  const uint64_t low = multiply(UINT64_C(0x123456789abcdef0), UINT64_C(0xfedcba9876543210), &high);
  printf("%llx %llx\n", (unsigned long long)low, (unsigned long long)high);
  const uint32_t quotient = divide(UINT64_C(123456789012), 1000, &rest);
  printf("%u %u\n", quotient, rest);
  uint64_t to[3] = {UINT64_MAX, UINT64_MAX, 1}, from[3] = {1, 0, 2};
  add_wide(to, from);
  printf("%llu %llu %llu\n", (unsigned long long)to[0], (unsigned long long)to[1],
         (unsigned long long)to[2]);
  printf("%d %d\n", lowest_bit(40), lowest_bit(UINT64_C(1) << 63));
  const int done = compare_exchange(&cell, &expected, 9),
            again = compare_exchange(&cell, &expected, 7);
  printf("%d %d %llu %llu\n", done, again, (unsigned long long)cell, (unsigned long long)expected);
  char text[20] = "...................";
  copy(text + 3, "assembly", 8);
  printf("%s %d\n", text, length(text));
  printf("%x %x\n", swap_bytes(0x1234), rotate(0x80000001u, 5));
  printf("%g %ld %ld\n", root_of_sum(7.5, 1.5f), round_by_x87(2.5), round_by_x87(-3.7));
  printf("%ld %s\n", many(1, 2, 3, 4, 5, 6), vendor());
  printf("%llx\n", (unsigned long long)chain(1, 3000000));
}

#elif defined(__aarch64__)

static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *high) {
  uint64_t low;
  __asm__("mul %0, %2, %3\n\tumulh %1, %2, %3" : "=&r"(low), "=r"(*high) : "r"(a), "r"(b));
  return low;
}

static uint64_t add_atomically(uint64_t *at, uint64_t more) {
  uint64_t old, sum;
  uint32_t failed;
  __asm__ volatile("1: ldaxr %0, %3\n\tadd %1, %0, %4\n\tstlxr %w2, %1, %3\n\tcbnz %w2, 1b"
                   : "=&r"(old), "=&r"(sum), "=&r"(failed), "+Q"(*at)
                   : "r"(more)
                   : "memory");
  return old;
}

static uint32_t reverse(uint32_t x) {
  __asm__("rbit %w0, %w0" : "+r"(x));
  return x;
}

static double root_of_sum(double a, double b) {
  double result;
  __asm__("fadd %d0, %d1, %d2\n\tfsqrt %d0, %d0" : "=&w"(result) : "w"(a), "w"(b) : "v9");
  return result;
}

static uint64_t chain(uint64_t h, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; i++) {
    __asm__("eor %0, %0, %1\n\tror %0, %0, %2" : "+r"(h) : "r"(i), "I"(7));
    __asm__("madd %0, %0, %1, %1"
            : "+r"(h)
            : "r"(UINT64_C(0x9e3779b97f4a7c15))
            : "x19", "x28", "cc");
  }
  return h;
}

static long by_name(long x) {
  register long first __asm__("x0") = x;
  register long number __asm__("x8") = 17;
  __asm__ volatile("add x0, x0, x8, lsl %1" : "+r"(first) : "n"(2), "r"(number) : "x30");
  return first;
}

static void run(void) {
  uint64_t high, cell = 5;
  const uint64_t low = multiply(UINT64_C(0x123456789abcdef0), UINT64_C(0xfedcba9876543210), &high);
  printf("%llx %llx\n", (unsigned long long)low, (unsigned long long)high);
  const uint64_t old = add_atomically(&cell, 9);
  printf("%llu %llu\n", (unsigned long long)old, (unsigned long long)cell);
  printf("%x %g %ld\n", reverse(0x12345678), root_of_sum(7.5, 1.5), by_name(5));
  printf("%llx\n", (unsigned long long)chain(1, 3000000));
}

#else
static void run(void) {}
#endif

int main(void) {
  run();
  return 0;
}

// What compilers make of C's values and jumps: structures by value, arguments without a prototype,
// bit-fields, switches, pointers that change their types, constants that refer to each other, and
// what leaves a function by another way.
#include <complex.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static volatile int opaque_one = 1;

// --- Structures ---
typedef struct {
  char a;
} One;
typedef struct {
  float x, y, z;
} Floats;
typedef struct {
  double x;
  int n;
} Mixed;
typedef struct {
  long a[5];
} Large;
typedef struct __attribute__((packed)) {
  char tag;
  int value;
  double ratio;
} Packed;
typedef struct {
  long double wide;
  short after;
} Wide;
typedef struct __attribute__((aligned(32))) {
  int n;
} Aligned;
typedef union {
  double real;
  uint64_t bits;
  char bytes[8];
} Both;
typedef struct {
  struct {
    short s[3];
    One one;
  } inner[2];
  Both both;
} Nested;

static One make_one(int n) { return (One){(char)n}; }
static Floats scale(Floats f, float by) { return (Floats){f.x * by, f.y * by, f.z * by}; }
static Mixed add_mixed(Mixed a, Mixed b) { return (Mixed){a.x + b.x, a.n + b.n}; }
static Large shift(Large l, int by) {
  Large r;
  for (int i = 0; i < 5; ++i) r.a[i] = l.a[(i + by) % 5];
  return r;
}
static Packed pack(char tag, int value, double ratio) { return (Packed){tag, value, ratio}; }
static Wide widen(Wide w, short by) { return (Wide){w.wide * by, (short)(w.after + by)}; }
static Nested nest(Nested n) {
  n.inner[1].s[2] ^= n.inner[0].s[1];
  n.inner[0].one = make_one('q');
  n.both.real /= 4;
  return n;
}
static long many(int a, Mixed b, Large c, Floats d, One e, Wide f, Packed g, long h, Aligned i,
                 double j) {
  return a + (long)b.x + b.n + c.a[4] + (long)d.z + e.a + (long)f.wide + f.after + g.value +
         (long)g.ratio + h + i.n + (long)j + ((uintptr_t)&i % 32 == 0 ? 1000000 : 0);
}
static double complex rotate(double complex z) { return z * I + conj(z); }

static void structures(void) {
  const Floats f = scale((Floats){1, 2, 3}, 1.5f);
  printf("%g %g %g\n", f.x, f.y, f.z);
  const Mixed m = add_mixed((Mixed){0.5, 3}, (Mixed){0.25, opaque_one});
  printf("%g %d\n", m.x, m.n);
  const Large l = shift((Large){{1, 2, 3, 4, 5}}, 2 * opaque_one);
  printf("%ld %ld %ld\n", l.a[0], l.a[3], l.a[4]);
  const Packed p = pack('p', -7, 0.125);
  printf("%zu %c %d %g\n", sizeof p, p.tag, p.value, p.ratio);
  const Wide w = widen((Wide){1.1L, 7}, 3);
  printf("%.15Lg %d\n", w.wide, w.after);
  Nested n = {{{{1, 2, 3}, {'a'}}, {{4, 5, 6}, {'b'}}}, {.real = 10}};
  n = nest(n);
  printf("%d %c %c %g\n", n.inner[1].s[2], n.inner[0].one.a, n.inner[1].one.a, n.both.real);
  printf("%ld\n", many(1, m, l, f, make_one(3), w, p, 9, (Aligned){11}, 13));
  const double complex z = rotate(3 + 4 * I);
  printf("%g %g\n", creal(z), cimag(z));
  const Both b = {.real = -2.5};
  printf("%016" PRIx64 "\n", b.bits);
  Large (*indirect)(Large, int) = opaque_one ? shift : NULL;
  printf("%ld\n", indirect(l, 3).a[0]);
}

// --- Arguments without a prototype ---
static double sum(const char *kinds, ...) {
  va_list list, again;
  va_start(list, kinds);
  va_copy(again, list);
  double total = 0;
  for (int turn = 1; turn <= 2; ++turn) {
    for (const char *kind = kinds; *kind; ++kind) {
      switch (*kind) {
        case 'i':
          total += va_arg(list, int);
          break;
        case 'l':
          total += va_arg(list, long);
          break;
        case 'd':
          total += va_arg(list, double);
          break;
        case 'L':
          total += (double)va_arg(list, long double);
          break;
        case 's':
          total += strlen(va_arg(list, const char *));
          break;
        case 'm': {
          const Mixed m = va_arg(list, Mixed);
          total += m.x * m.n;
          break;
        }
        case 'b':
          total += va_arg(list, Large).a[1];
          break;
      }
    }
    if (turn == 1) {
      va_end(list);
      va_copy(list, again);
    }
  }
  va_end(again);
  va_end(list);
  return total;
}

static int print_to(char *text, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int count = vsnprintf(text, size, format, list);
  va_end(list);
  return count;
}

static void variable_arguments(void) {
  printf("%g\n", sum("ildLsmb", 1, 2L, 3.5, 4.25L, "five", (Mixed){1.5, 2}, (Large){{7, 8, 9}}));
  printf("%g\n", sum("iiiiiiiiddddddddddl", 1, 2, 3, 4, 5, 6, 7, 8, .5, .5, .5, .5, .5, .5, .5, .5,
                     .5, .5, 100L));
  char text[40];
  const int count = print_to(text, sizeof text, "%d|%5.2f|%-4s|%Lg|%c", -3, 2.718, "ab", 0.5L, '!');
  printf("%d %s\n", count, text);
}

// --- Bit-fields ---
struct Bits {
  unsigned a : 3;
  int b : 5;
  unsigned long c : 33;
  _Bool d : 1;
  signed char e : 7;
  unsigned : 0;
  int f : 17;
  uint64_t g : 47;
};

static struct Bits bits = {5, -9, 0x1ffffffffUL, 1, -33, -60000, 0x7fffffffffffUL};

static void bit_fields(void) {
  for (int i = 0; i < 3; ++i) {
    printf("%zu: %u %d %lu %d %d %d %" PRIu64 "\n", sizeof bits, bits.a, bits.b,
           (unsigned long)bits.c, bits.d, bits.e, bits.f, (uint64_t)bits.g);
    bits.a += 3;
    bits.b -= 7;
    bits.c = bits.c * 5 + opaque_one;
    bits.d = !bits.d;
    bits.e <<= 1;
    bits.f ^= bits.a;
    bits.g -= 0x123456789abUL;
  }
}

// --- Jumps ---
static const char *dense(int n) {
  switch (n) {
    case 0:
      return "zero";
    case 1:
      return "one";
    case 2:
      return "two";
    case 3:
      return "three";
    case 4:
      return "four";
    case 6:
      return "six";
    default:
      return "other";
  }
}
static int sparse(long long n) {
  switch (n) {
    case -9000000000:
      return 1;
    case -1:
      return 2;
    case 5 ... 90:
      return 3;
    case 1000:
      return 4;
    case 0x7fffffffffffffff:
      return 5;
  }
  return 0;
}
static int interpret(const unsigned char *code) {
  static const void *const labels[] = {&&add, &&twice, &&skip, &&end};
  int value = 1;
  goto *labels[*code++];
add:
  value += *code++;
  goto *labels[*code++];
twice:
  value *= 2;
  goto *labels[*code++];
skip:
  code += *code;
  goto *labels[*code++];
end:
  return value;
}
static jmp_buf outer_jump;
static void leave(int depth) {
  volatile char frame[100];
  frame[depth] = (char)depth;
  if (depth == 0) longjmp(outer_jump, 42);
  leave(depth - 1);
  frame[0] = frame[depth];
}

static void jumps(void) {
  for (int i = -1; i < 8; ++i) printf("%s ", dense(i));
  const long long values[] = {-9000000000, -1, 4, 5, 90, 91, 1000, 0x7fffffffffffffff};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) printf("%d", sparse(values[i]));
  printf("\n%d\n", interpret((const unsigned char[]){0, 5, 1, 2, 3, 9, 9, 1, 0, 1, 3}));
  volatile int turns = 0;
  const int code = setjmp(outer_jump);
  turns = turns + 1;
  if (code == 0) leave(20);
  printf("%d %d\n", code, turns);
}

// --- Numbers ---
static void numbers(void) {
  const long double wide = 1.0L / 3 * opaque_one;
  printf("%.18Lg %.18Lg %lld %llu\n", wide, wide * wide + 1e20L, (long long)(wide * 1e18L),
         (unsigned long long)(wide * 5e19L));
  printf("%g %g %d\n", (double)wide, (double)(float)wide, wide < 0.34L && !(wide != wide));
  const double large = 1.8e19 * opaque_one;
  printf("%" PRIu64 " %g %g\n", (uint64_t)large, (double)UINT64_MAX * opaque_one,
         (float)(INT64_MIN + opaque_one));
  unsigned __int128 product = (unsigned __int128)UINT64_MAX * (0x123456789abcdefUL * opaque_one);
  product /= 1000003;
  printf("%016" PRIx64 "%016" PRIx64 " %d\n", (uint64_t)(product >> 64), (uint64_t)product,
         (int)(product % 97));
  int sum, difference;
  const int overflows = __builtin_add_overflow(2147483647, opaque_one, &sum);
  const int fits = __builtin_sub_overflow(5, opaque_one, &difference);
  printf("%d %d %d %d\n", overflows, sum, fits, difference);
  const unsigned word = 0x12345678u * opaque_one;
  printf("%d %d %d %x %x\n", __builtin_popcount(word), __builtin_clz(word), __builtin_ctz(word),
         __builtin_bswap32(word), (word << 7) | (word >> 25));
  typedef int Four __attribute__((ext_vector_type(4)));
  Four v = {1, 2, 3, 4};
  v = v.wzyx * opaque_one + (v > 2);
  printf("%d %d %d %d\n", v.x, v.y, v[2], v.w);
  signed char small = 127;
  small += opaque_one;
  printf("%d %d %d\n", small, -7 / (opaque_one + 1), -7 % (opaque_one + 1));
}

// --- Pointers ---
struct Link {
  const struct Link *next;
  int (*apply)(int);
  const void *data;
};
static int negate(int n) { return -n; }
static int square(int n) { return n * n; }
static const int table[4] = {10, 20, 30, 40};
extern const struct Link ring[3];
const struct Link ring[3] = {
    {&ring[1], negate, &table[1]},
    {&ring[2], square, (const char *)table + 8},
    {ring, negate, "text" + 1},
};
static const ptrdiff_t inner_offset = offsetof(Nested, inner[1].one);
static const char *const *const names = (const char *const[]){"first", "second", NULL};
static union {
  const void *address;
  uintptr_t number;
} address_or_number = {&table[3]};

struct Flexible {
  unsigned count;
  struct Link links[];
};

static int compare(const void *a, const void *b) { return *(const short *)a - *(const short *)b; }

static void pointers(void) {
  int value = 3;
  const struct Link *link = ring;
  for (int i = 0; i < 5; ++i, link = link->next) value = link->apply(value) + i;
  printf("%d %d %d %s\n", value, *(const int *)ring[0].data, *(const int *)ring[1].data,
         (const char *)ring[2].data);
  int count = 0;
  for (const char *const *name = names; *name; ++name) count += (int)strlen(*name);
  printf("%d %td %d\n", count, inner_offset, *(const int *)address_or_number.address);
  struct Flexible *flexible = malloc(sizeof *flexible + 2 * sizeof(struct Link));
  flexible->count = 2;
  memcpy(flexible->links, ring, 2 * sizeof(struct Link));
  flexible->links[1].next = flexible->links;
  printf("%d\n", flexible->links[1].next->apply(flexible->links[flexible->count - 1].apply(6)));
  void *plain = flexible;
  unsigned char *bytes = plain;
  bytes[0]++;
  printf("%u %d\n", ((struct Flexible *)plain)->count,
         (int)((char *)&flexible->links[1] - (char *)plain));
  free(flexible);
  short numbers[7] = {5, -2, 9, 0, 300, -300, 1};
  qsort(numbers, 7, sizeof *numbers, compare);
  for (int i = 0; i < 7; ++i) printf("%d ", numbers[i]);
  const int columns = 3 * opaque_one;
  int matrix[2][columns];
  memset(matrix, 0, sizeof matrix);
  int(*row)[columns] = matrix + 1;
  (*row)[2] = 8;
  printf("%d %zu %ls\n", matrix[1][columns - 1], sizeof matrix, L"wide");
}

// --- Variables ---
static _Thread_local int per_thread[3] = {1, 2, 3};
static _Atomic int shared = 5;
static _Atomic(double) shared_real = 2;
static int constructed;
__attribute__((constructor)) static void construct(void) { constructed = 17; }
__attribute__((destructor)) static void destroy(void) { printf("destroyed\n"); }
extern int missing __attribute__((weak));
int target_of_alias(void) { return 23; }
extern int other_name(void) __attribute__((alias("target_of_alias")));
static int next(void) {
  static int calls;
  return ++calls;
}

static void variables(void) {
  per_thread[opaque_one] += 5;
  printf("%d %d %d\n", per_thread[0], per_thread[1], constructed);
  int expected = 5;
  const int exchanged = atomic_compare_exchange_strong(&shared, &expected, 8);
  const int before = atomic_fetch_add(&shared, 4) + atomic_fetch_xor(&shared, 1);
  shared_real *= 1.5;
  printf("%d %d %d %g\n", exchanged, before, shared, shared_real);
  printf("%d %d %d %d\n", &missing == NULL, other_name(), next(), next());
  int by_assembly = 4 * opaque_one;
  __asm__ volatile("" : "+r"(by_assembly) : : "memory");
  printf("%d\n", by_assembly);
}

int main(void) {
  structures();
  variable_arguments();
  bit_fields();
  jumps();
  numbers();
  pointers();
  variables();
  return 0;
}

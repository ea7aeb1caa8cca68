// Functions that must always be inlined: those of the standard library, bodies that are there only
// to be inlined, loops, recursion, and addresses of what must be inlined.
#include <cstdio>
#include <list>
#include <string>
#include <vector>

#define ALWAYS_INLINE inline __attribute__((always_inline))

// The C library's own says nothing of a check.
extern "C" {
__attribute__((gnu_inline, always_inline)) extern inline int puts(const char *text) {
  return std::printf("checked: %s\n", text);
}
}

namespace {
// Inlined into what is inlined.
static ALWAYS_INLINE int Twice(int x) { return 2 * x; }
static ALWAYS_INLINE int FourTimes(int x) { return Twice(Twice(x)); }

// With a loop that gets hot in whoever calls it.
static ALWAYS_INLINE unsigned Mix(unsigned seed, int times) {
  unsigned steps[4] = {1, 3, 5, 7};
  for (int i = 0; i < times; ++i) {
    steps[i & 3] += seed;
    seed = seed * 1664525u + steps[(i + 1) & 3];
  }
  return seed;
}
__attribute__((noinline)) unsigned MixMore(unsigned seed, int times) {
  unsigned sum = 0;
  for (int i = 0; i < times; ++i)
    sum ^= Mix(seed + static_cast<unsigned>(i), 50 + FourTimes(i & 1));
  return sum + Mix(seed, 5000);
}

// No order of inlining gets rid of all their calls.
ALWAYS_INLINE int Ping(int n);
ALWAYS_INLINE int Pong(int n) { return n == 0 ? 0 : 1 + Ping(n - 1); }
ALWAYS_INLINE int Ping(int n) { return n == 0 ? 0 : 2 + Pong(n - 1); }
ALWAYS_INLINE int Factorial(int n) { return n < 2 ? 1 : n * Factorial(n - 1); }

// What is on the stack of one call is gone before the next.
static ALWAYS_INLINE int OnStack(int size) {
  auto *bytes = static_cast<volatile char *>(__builtin_alloca(static_cast<size_t>(size)));
  bytes[size - 1] = static_cast<char>(size);
  return bytes[size - 1];
}

struct Thrower {
  ALWAYS_INLINE ~Thrower() { std::printf("end of %d\n", value); }
  ALWAYS_INLINE int Get(int limit) const {
    if (value > limit) throw value;
    return value;
  }
  int value;
};

int Apply(int (*function)(int), int x) { return function(x); }
}  // namespace

int main() {
  std::vector<char> characters(3, 'x');
  std::list<char> list{'a', 'b', 'c'};
  std::string text(list.begin(), list.end());
  text.append(characters.begin(), characters.end());
  puts(text.c_str());
  std::printf("%d %u\n", FourTimes(5), MixMore(7, 400));
  std::printf("%d %d %d\n", Ping(7), Pong(8), Factorial(6));
  int sum = 0;
  for (int i = 0; i < 100000; ++i) sum += OnStack(64 + (i & 31));
  std::printf("%d\n", sum);
  for (int limit : {10, 3}) {
    try {
      Thrower thrower{5};
      std::printf("%d\n", thrower.Get(limit));
    } catch (int thrown) {
      std::printf("thrown %d\n", thrown);
    }
  }
  std::printf("%d %d\n", Apply(&Twice, 21), Apply(&Ping, 4));
  std::printf("%d\n", &FourTimes == &FourTimes && Apply(&FourTimes, 3) == FourTimes(3));
  return 0;
}

// A program for a debugger that attaches, as attached.c, of functions that several files may
// define: members of classes and instances of templates.

#include <time.h>
#include <unistd.h>

#include <cstdio>

namespace {

template <typename Number>
struct Sum {
  __attribute__((noinline)) void Add(Number number) { total += number; }
  __attribute__((noinline)) void AddTwice(Number number) {
    Add(number);
    Add(number);
  }
  Number total = 0;
};

template <typename Number>
__attribute__((noinline)) Number Largest(Number a, Number b) {
  return a < b ? b : a;
}

}  // namespace

template <typename Number>
__attribute__((noinline)) Number SumUpTo(Number last) {
  Sum<Number> sum;
  for (Number i = 1; i <= last; ++i) sum.AddTwice(Largest(i, last / 2));
  return sum.total;
}

struct Walker {
  __attribute__((noinline)) int Step(int by) { return at += by; }
  __attribute__((noinline)) int Walk(int steps) { return Step(steps) + Step(-1); }
  int at = 0;
};

__attribute__((noinline)) int rare(Walker* walker) { return walker->Walk(2); }

int main(int argc, char** argv) {
  const timespec pause = {0, 2'000'000};
  Walker walker;
  int result = argc;
  for (int rounds = 0; rounds < 3000; ++rounds) {
    result += walker.Walk(rounds) + SumUpTo(5) + static_cast<int>(SumUpTo(5L));
    if (rounds == 20) {
      std::puts("waiting");
      std::fflush(stdout);
    }
    if (access(argv[1], F_OK) == 0) result += rare(&walker);
    nanosleep(&pause, nullptr);
  }
  return result == -1234567;
}

// A timer's signals at random instants, while exceptions go through functions that were never
// called before: the unwinder is interrupted, and so is what registers unwind tables. Found with
// our own programs.
//
// seeds: 2
#include <sys/time.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

struct Found {
  int number;
};

static std::atomic<int> handled{0};

static void Handle(int) { handled.fetch_add(1, std::memory_order_relaxed); }

template <int kNumber>
__attribute__((noinline)) int Pass(int depth) {
  struct Count {
    int* total;
    ~Count() { ++*total; }
  };
  static int total;
  Count count{&total};
  if (depth == 0) throw Found{kNumber};
  return Pass<(kNumber * 7 + 3) % 120>(depth - 1) + 1;
}

template <int kNumber>
int Catch() {
  try {
    return Pass<kNumber>(kNumber % 9);
  } catch (const Found& found) {
    return found.number;
  }
}

template <int... kNumbers>
long CatchAll(std::integer_sequence<int, kNumbers...>) {
  long sum = 0;
  ((sum = sum * 3 % 1000003 + Catch<kNumbers>()), ...);
  return sum;
}

int main(int argc, char** argv) {
  std::signal(SIGALRM, Handle);
  std::raise(SIGALRM);
  const long interval = 250 + (argc > 1 ? std::atoi(argv[1]) : 1) * 397 % 800;
  const itimerval timer = {{0, interval}, {0, interval}}, none = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &timer, nullptr);
  long sum = 0;
  for (int round = 0; round < 40; ++round) sum += CatchAll(std::make_integer_sequence<int, 120>());
  while (handled < 3) {
  }
  setitimer(ITIMER_REAL, &none, nullptr);
  std::printf("%ld\n", sum);
  return 0;
}

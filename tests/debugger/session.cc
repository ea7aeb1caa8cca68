// The program that is debugged. gdb_test.cc names its lines by the comments at their ends.

#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <thread>

int watched = 0;
volatile bool is_waiting = false;

struct Pair {
  long first, second, third;
};

Pair make_pair_of(long x) { return {x, x + 1, x + 2}; }

long sum_of(const Pair& pair) {
  return pair.first + pair.second + pair.third;  // in sum_of
}

int rare(int x) {
  int r = x + 100;  // in rare
  return r;
}

int often(int x) {
  int r = x - 1;  // in often
  if (x > 50) {
    r = rare(x);  // calls rare
  }
  return r;
}

int throws(int x) {
  if (x == 3) throw std::runtime_error("three");
  return x;
}

int catches(int x) {
  try {
    return throws(x);  // in catches
  } catch (const std::exception& error) {
    watched = x;  // caught
    return -1;
  }
}

int hot(int x) {
  int r = x * 3;  // in hot
  watched += r;
  return r;
}

int (*volatile pointer)(int) = hot;

int loop() {
  int sum = 0;
  for (int i = 0; i < 3000; i++) sum += pointer(i);
  return sum;
}

void work(int number) {
  watched = number;  // in work
}

// With an argument, waits until a debugger lets it go on, and says so after 100 iterations.
int main(int argc, char**) {
  is_waiting = argc > 1;
  for (int i = 0; is_waiting; i++) {
    if (i == 100) {
      std::puts("waiting");
      std::fflush(stdout);
    }
    usleep(1000);  // waits
  }
  int sum = often(argc);
  sum += often(60);
  sum += often(61);   // third
  sum += catches(3);  // calls catches
  int (*through)(int) = argc > 5 ? throws : rare;
  sum += through(7);  // calls through a pointer
  sum += loop();
  sum += pointer(0);  // after the loop
  sum += static_cast<int>(sum_of(make_pair_of(1))) - 6;
  std::thread thread(work, 5);
  thread.join();
  std::printf("sum %d %d\n", sum, watched);
  return 0;
}

// A program that runs for some six seconds if it is not killed, for a debugger that attaches: main
// calls `walk` again and again, and `rare` once a file of the name that is the program's argument
// exists. Another argument is the number of rounds.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct point {
  int x, y;
  const char* name;
};

__attribute__((noinline)) static int leaf(int a, struct point* p) {
  int twice = a * 2;
  p->x += twice;  // in leaf
  return twice + 1;
}

__attribute__((noinline)) static int walk(int rounds) {
  struct point p = {rounds, 2, "walker"};
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += leaf(i, &p);
  }
  return sum + p.x;  // behind the loop
}

__attribute__((noinline)) static int rare(int seven) {
  int square = seven * seven;
  return square;  // in rare
}

static int numbers = 0;

__attribute__((noinline)) static int power(int number) {
  numbers += number;
  return number * number;
}

// `value` changes between two calls.
__attribute__((noinline)) static int change(int seven) {
  int value = seven * 3;
  const int first = value;
  value = power(value);
  value = power(value + first);
  return value - first;
}

int main(int argc, char** argv) {
  const struct timespec pause = {0, 2000000};
  const int most = argc > 2 ? atoi(argv[2]) : 3000;
  int result = argc;
  for (int rounds = 0;; rounds++) {
    result ^= walk(rounds);
    if (rounds == 20) {
      puts("waiting");
      fflush(stdout);
    }
    if (access(argv[1], F_OK) == 0) result ^= rare(argc + 5) ^ change(argc + 5);
    nanosleep(&pause, NULL);  // pauses
    if (rounds == most) return result == -1234567;
  }
}

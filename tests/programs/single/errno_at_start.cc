// errno is 0 when a program starts, and what a constructor leaves in it stays there: whatever is
// read, compiled or linked in between.
#include <errno.h>
#include <stdio.h>

static int at_first = errno;

struct Second {
  Second() : seen(errno) { errno = 77; }
  int seen;
};
static Second second;

static int in_between() { return second.seen + 1; }

struct Third {
  Third() : computed(in_between()), seen(errno) {}
  int computed;
  int seen;
};
static Third third;

int main() {
  printf("%d %d %d %d\n", at_first, second.seen, third.seen, errno);
  errno = 0;
  printf("%d %d\n", in_between(), errno);
  return 0;
}

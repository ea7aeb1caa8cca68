/* A module that calls, and is called by, another one; each uses the other's data. */
#include <stdio.h>

int pong(int n);
int ping_count = 0;
extern int pong_count;

int ping(int n) {
  ++ping_count;
  return n == 0 ? 0 : pong(n - 1) + 1;
}

int main(void) {
  printf("%d", ping(9));
  printf(" %d %d\n", ping_count, pong_count);
  return ping_count;
}

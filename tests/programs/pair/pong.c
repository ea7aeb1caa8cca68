/* The other half of ping.c. */
int ping(int n);
int pong_count = 0;
extern int ping_count;
int *const seen = &ping_count;

int pong(int n) {
  pong_count += *seen;
  return n == 0 ? 0 : ping(n - 1) + 1;
}

// An exception nobody catches ends the program as it does natively.
#include <cstdio>

static void Leave(int n) {
  if (n == 0) throw 5;
  Leave(n - 1);
}

int main() {
  std::puts("about to throw");
  std::fflush(stdout);
  Leave(3);
}

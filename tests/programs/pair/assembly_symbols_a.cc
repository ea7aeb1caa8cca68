// Two modules whose assembly defines the same names: tentative and weak definitions, of which one
// counts for both, hidden ones, and local ones, which each module has for itself. One module's
// names stand for symbols of the other.
#include <cstdio>

asm(".comm shared,8,8\n"
    ".local own\n"
    ".comm own,8,8\n"
    ".data\n"
    ".p2align 3\n"
    ".weak overridden\n"
    "overridden: .quad 1\n"
    ".weak weak_in_both\n"
    "weak_in_both: .quad 2\n"
    "same_name: .quad 3\n"
    ".globl of_static\n"
    ".set also_elsewhere, elsewhere\n"
    ".text\n");

extern "C" {
extern long shared, own, overridden, weak_in_both, same_name;
long also_elsewhere(long);
long sum_of_other();
long through_other(long);
__attribute__((used)) static long of_static(long x) { return x + 100; }
}

int main() {
  shared = 10;
  own = 20;
  std::printf("%ld\n", sum_of_other());
  std::printf("%ld %ld %ld %ld %ld\n", shared, own, overridden, weak_in_both, same_name);
  std::printf("%ld %ld\n", also_elsewhere(1), through_other(1));
  std::printf("%ld\n", of_static(5));
}

asm(".comm shared,8,8\n"
    ".local own\n"
    ".comm own,8,8\n"
    ".data\n"
    ".p2align 3\n"
    ".globl overridden\n"
    "overridden: .quad 1000\n"
    ".weak weak_in_both\n"
    "weak_in_both: .quad 2\n"
    "same_name: .quad 30\n"
    ".set through, of_static\n"
    ".text\n");

extern "C" {
extern long shared, own, overridden, weak_in_both, same_name;
long through(long);

long elsewhere(long x) { return x + 7; }
long through_other(long x) { return through(x); }

long sum_of_other() {
  shared += 1;
  own += 2;
  weak_in_both += 5;
  return shared + own + overridden + weak_in_both + same_name;
}
}

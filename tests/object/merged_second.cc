// See merged_first.cc. Has private symbols with the same names.

static int counter = 2;

static int Private() { return counter; }
int SecondPrivate() { return Private(); }

int SecondNumber(int x) { return x; }

int CatchIn(void (*thrower)()) {
  try {
    thrower();
  } catch (int number) {
    return number;
  }
  return 0;
}

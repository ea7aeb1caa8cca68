// Of a program of two objects that are merged, and a third one, by which they call each other.

#include <stdio.h>

int CallSecondNumber(int x);
int CallCatchIn(void (*thrower)());
int CallSecondPrivate();

static const char* const texts[] = {"first", "argument"};
static int counter = 1;
static int zeros[100];

static int Private() { return counter; }
int FirstPrivate() { return Private() + zeros[7]; }

static void Throw() { throw 42; }

double Half(double x) {
  switch (static_cast<int>(x)) {
    case 1:
      return 0.5;
    case 7:
      return 3.5;
    case 9:
      return 4.5;
    case 11:
      return 5.5;
    case 13:
      return 6.5;
    default:
      return x;
  }
}

int main(int argc, char** argv) {
  puts(texts[argc - 2]);
  printf("second %d\n", CallSecondNumber(counter));
  printf("caught %d\n", CallCatchIn(Throw));
  printf("private %d %d\n", FirstPrivate(), CallSecondPrivate());
  printf("%g %s\n", Half(7), argv[1]);
  return 0;
}

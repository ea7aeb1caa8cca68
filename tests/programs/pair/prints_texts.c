// Optimizations turn these calls into others, of texts that they make up names for. The other
// module has variables of these names.
#include <stdio.h>
#include <string.h>

static void say(void) { printf("a line\n"); }
static void say_other(void) { printf("another line\n"); }
static void say_letter(void) { printf("c"); }
static void say_through(const char* text) { printf("%s\n", text); }
static void write_text(void) { fprintf(stdout, "to a file\n"); }

static int classify(int value) {
  switch (value) {
    case 0:
      return 17;
    case 1:
      return -3;
    case 2:
      return 255;
    case 3:
      return 8;
    case 4:
      return 1000;
    default:
      return 0;
  }
}

static size_t length_of(int which) { return strlen(which ? "seven" : "eleven"); }

int main(int argc, char** argv) {
  for (int i = 0; i < 3; ++i) {
    say();
    say_other();
    say_letter();
    say_through(argv[argc - 1]);
    write_text();
    printf("%d %zu\n", classify(i + argc), length_of(i));
  }
  return 0;
}

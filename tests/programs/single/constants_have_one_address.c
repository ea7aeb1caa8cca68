// A pointer to a string literal equals itself, whatever functions it has been through. So does one
// to an element of a table, and one that stands in data.
#include <stdio.h>
#include <string.h>

static const char* const kOk = "output produced";
static const char* const kNames[] = {"first", "second", "third"};
static const char* in_data = "in data";
static const int kNumbers[] = {3, 1, 4, 1, 5};

__attribute__((noinline)) static const char* scan(int c) {
  if (c > 100) puts("many");
  return c ? kOk : NULL;
}
__attribute__((noinline)) static const char* name(int i) { return kNames[i]; }
__attribute__((noinline)) static const int* number(int i) { return &kNumbers[i]; }
__attribute__((noinline)) static const char* text_in_data(void) { return in_data; }
__attribute__((noinline)) static const char* literal(void) { return "a literal"; }
__attribute__((noinline)) static void keep(const char** where, const char* text) { *where = text; }
__attribute__((noinline)) static const char* tail(void) { return strchr("needle", 'd'); }

const char* (*volatile indirect_scan)(int) = scan;
const char* (*volatile indirect_name)(int) = name;
const int* (*volatile indirect_number)(int) = number;
const char* (*volatile indirect_literal)(void) = literal;

__attribute__((noinline)) static int is_ok(const char* text) { return text == kOk; }
__attribute__((noinline)) static int is_name(const char* text, int i) { return text == kNames[i]; }
__attribute__((noinline)) static int is_number(const int* at, int i) { return at == kNumbers + i; }

int main(int argc, char** argv) {
  (void)argv;
  const char* kept = NULL;
  keep(&kept, kOk);
  printf("%d %d %d\n", is_ok(indirect_scan(argc)), kept == kOk, indirect_scan(argc) == kept);
  for (int i = 0; i < 3; ++i) {
    printf("%d %d %s\n", is_name(indirect_name(i), i), indirect_name(i) == name(i), name(i));
  }
  for (int i = 0; i < 5; ++i) {
    printf("%d %d\n", is_number(indirect_number(i), i), (int)(indirect_number(i) - kNumbers));
  }
  printf("%d %s\n", text_in_data() == in_data, text_in_data());
  printf("%d %s\n", indirect_literal() == literal(), literal());
  printf("%d %s\n", tail() == tail(), tail());
  return 0;
}

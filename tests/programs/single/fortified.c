// The C library's checks, which are bodies that are only there to be inlined: without them the
// library's own function is called, and checks nothing.
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void CheckFired(int signal) {
  (void)signal;
  static const char text[] = "the check fired\n";
  _exit(write(STDOUT_FILENO, text, sizeof(text) - 1) == sizeof(text) - 1 ? 3 : 4);
}

static void Print(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vdprintf(STDOUT_FILENO, format, arguments);
  va_end(arguments);
}

int main(void) {
  signal(SIGABRT, CheckFired);
  char format[16];
  strcpy(format, "%d\n%n");
  int written = 0;
  format[3] = 0;
  Print(format, 42, &written);
  format[3] = '%';
  Print(format, 43, &written);  // A format that can be written to must not write.
  printf("no check: %d\n", written);
  return 0;
}

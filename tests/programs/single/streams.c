/* Standard input, output and error. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
  char line[100];
  int n;
  double d;
  if (!fgets(line, sizeof line, stdin)) return 1;
  printf("[%s]", line);
  int count = scanf("%d %*d %lf", &n, &d);
  printf("%d %d %g\n", count, n, d);
  fputs("to error\n", stderr);
  fflush(stdout);
  return write(1, "raw\n", 4) == 4 ? 3 : 4;
}

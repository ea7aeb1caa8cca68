/* Variable arguments in both register classes and on the stack, through a first call. */
#include <stdarg.h>
#include <stdio.h>

static double sum(const char *kinds, ...) {
  va_list list, again;
  va_start(list, kinds);
  va_copy(again, list);
  double total = 0;
  for (const char *k = kinds; *k; ++k)
    total += *k == 'd'   ? va_arg(list, double)
             : *k == 'l' ? (double)va_arg(list, long)
                         : va_arg(list, int);
  if (kinds[0] == 'i') total += 1000 * va_arg(again, int);
  va_end(again);
  va_end(list);
  return total;
}

static void forward(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}

int main(void) {
  double (*volatile by_pointer)(const char *, ...) = sum;
  printf("%.2f\n", sum("idididididididididid", 1, .5, 2, .5, 3, .5, 4, .5, 5, .5, 6, .5, 7, .5, 8,
                       .5, 9, .5, 10, .25));
  printf("%.2f\n",
         by_pointer("dldldldldldl", 1.5, 2L, 1.5, 2L, 1.5, 2L, 1.5, 2L, 1.5, 2L, 1.5, 1L << 40));
  forward("%s %d %g %c\n", "text", 42, 2.75, 'x');
  return 0;
}

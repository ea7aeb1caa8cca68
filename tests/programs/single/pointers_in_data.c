/* Function and data pointers in initialized data: tables, nested structs, offsets, self references.
 */
#include <stdio.h>

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
int exported(int a, int b) { return a * b; }
static int never(int a, int b) { return a % b; }

struct op {
  const char *name;
  int (*run)(int, int);
};
struct group {
  struct op ops[2];
  struct group *next;
  int *cell;
};

static int cells[4] = {10, 20, 30, 40};
static struct group last = {{{"mul", exported}, {"never", never}}, 0, &cells[3]};
static struct group first = {{{"add", add}, {"sub", sub}}, &last, cells + 1};
static struct group *const head = &first;
static const char *const names[] = {"zero", "one", "two"};
static char text[] = "changeable";
static char *const inside = text + 6;
static void *self = &self;

int main(void) {
  for (struct group *g = head; g; g = g->next) {
    for (int i = 0; i < 2; ++i) printf("%s ", g->ops[i].name);
    printf("%d %d\n", g->ops[0].run(7, 3), *g->cell);
  }
  inside[0] = 'A';
  printf("%s %s %d %d\n", names[2], text, self == (void *)&self, first.ops[0].run == add);
  return 0;
}

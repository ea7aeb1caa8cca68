/* Functions of which an optimizer may know that they only read, only compute, return an argument,
 * or write where they are told to: called in loops whose results depend on whether that is so. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

struct node {
  int value;
  struct node *left, *right;
};

static struct node *grow(int levels) {
  if (levels == 0) return NULL;
  struct node *node = malloc(sizeof *node);
  node->value = 1;
  node->left = grow(levels - 1);
  node->right = grow(levels - 1);
  return node;
}

static int total(const struct node *node) {
  return node == NULL ? 0 : node->value + total(node->left) + total(node->right);
}

static int limit;
static long calls;

NOINLINE static int under_limit(int x) { return x < limit; }
NOINLINE static long square(long x) { return x * x; }
NOINLINE static long *bump(long *counter) {
  ++*counter;
  return counter;
}
NOINLINE static int even(int n);
NOINLINE static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
NOINLINE static int even(int n) {
  if (n % 1000 == 7) ++calls;
  return n == 0 ? 1 : odd(n - 1);
}

static jmp_buf back;
NOINLINE static int may_jump(int x) {
  if (x % 5000 == 4999) longjmp(back, 1);
  return x & 3;
}

/* The result of the first call must not be taken for that of the second one. */
static long changes_between(const struct node *root, struct node *leaf) {
  long sum = 0;
  for (int i = 0; i < 300; i++) {
    sum += total(root);
    leaf->value = i;
    sum -= total(root);
  }
  return sum;
}

static long stops_at_limit(void) {
  long rounds = 0;
  for (int i = 0; i < 200000; i++) {
    limit = i % 7;
    if (under_limit(3)) rounds += square(i) & 15;
  }
  return rounds;
}

static long jumps(void) {
  volatile long sum = 0;
  volatile int i = 0;
  if (setjmp(back) != 0) ++sum;
  for (i = i + 1; i < 40000; i++) sum += may_jump(i);
  return sum;
}

int main(void) {
  struct node *root = grow(9);
  struct node *leaf = root;
  while (leaf->left != NULL) leaf = leaf->left;
  long sum = 0;
  for (int i = 0; i < 200; i++) sum += total(root);
  printf("%ld\n", sum);
  printf("%ld\n", changes_between(root, leaf));
  printf("%ld\n", stops_at_limit());
  long counter = 0;
  for (int i = 0; i < 100000; i++) *bump(&counter) += 2;
  printf("%ld\n", counter);
  int evens = 0;
  for (int i = 0; i < 400; i++) evens += even(i);
  printf("%d %ld\n", evens, calls);
  printf("%ld\n", jumps());
  return 0;
}

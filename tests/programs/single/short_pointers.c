/* A list whose links are pointers of 32 bits (-fms-extensions), made and walked in hot loops. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>

enum { kNodes = 500, kRounds = 3000 };

struct node {
  int number;
  struct node *__ptr32 next;
};

__attribute__((noinline)) static void link_nodes(struct node *nodes, int count, int step) {
#if __clang_major__ == 22
/* LLVM 22.1 crashes when it selects instructions for a vector of such pointers. */
#pragma clang loop vectorize(disable) interleave(disable)
#endif
  for (int i = 0; i < count; ++i) {
    nodes[i].number = i * step;
    nodes[i].next = (struct node *__ptr32)&nodes[i + 1];
  }
}
__attribute__((noinline)) static long walk(const struct node *node, int count) {
  long sum = 0;
  for (; count > 0; --count) {
    sum += node->number;
    node = node->next;
  }
  return sum;
}

int main(void) {
  struct node *nodes = mmap(0, sizeof(struct node) * (kNodes + 1), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (nodes == MAP_FAILED) return 1;
  long total = 0;
  for (int round = 0; round < kRounds; ++round) {
    link_nodes(nodes, kNodes, round % 7);
    total += walk(nodes, kNodes - round % 100);
  }
  printf("%ld %d\n", total, nodes[5].next == (struct node *__ptr32)&nodes[6]);
  return 0;
}

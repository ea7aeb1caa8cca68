// A program with the collector of Boehm, Demers and Weiser (libgc): threads collect while variables
// alone lead to what others use, stop each other at first calls and in hot loops, and fork.

#define GC_THREADS
#include <gc/gc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kThreads = 4, kNodes = 1000, kRounds = 12, kFillers = 6 };

struct Node {
  struct Node* next;
  long value;
  long fillers[kFillers];
};

static struct Node* lists[kThreads];
static struct {
  char name[100];
  struct Node* list;
} in_a_structure = {"list", NULL};

static __attribute__((noinline)) struct Node* Push(struct Node* list, long value) {
  struct Node* node = GC_MALLOC(sizeof(*node));
  if (node == NULL) abort();
  node->next = list;
  node->value = value;
  for (int i = 0; i < kFillers; i++) node->fillers[i] = value ^ i;
  return node;
}

static __attribute__((noinline)) unsigned long Sum(const struct Node* list) {
  unsigned long sum = 0;
  for (; list != NULL; list = list->next) {
    sum = sum * 31 + (unsigned long)list->value;
    for (int i = 0; i < kFillers; i++) {
      if (list->fillers[i] == (list->value ^ i)) continue;
      puts("collected, though in use");
      exit(1);
    }
  }
  return sum;
}

// Uses the memory of what was collected.
static __attribute__((noinline)) void Litter(long count) {
  for (long i = 0; i < count; i++) {
    struct Node* node = GC_MALLOC(sizeof(*node));
    memset(node, 0x55, sizeof(*node));
    node->next = NULL;
  }
}

// A thread calls these for the first time while others collect.
#define FUNCTION(n)                                                     \
  __attribute__((noinline)) static unsigned long First##n(long value) { \
    return Sum(Push(NULL, value)) + n;                                  \
  }
#define NAME(n) First##n,
#define ALL(X) X(0) X(1) X(2) X(3) X(4) X(5)
ALL(FUNCTION)
static unsigned long (*const first_calls[])(long) = {ALL(NAME)};
enum { kFirstCalls = sizeof(first_calls) / sizeof(*first_calls) };

static int ForkAndCollect(long number) {
  const pid_t child = fork();
  if (child == 0) {
    GC_gcollect();
    Litter(2000);
    _exit((int)(Sum(lists[number]) & 63));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void* Work(void* argument) {
  const long number = (long)argument;
  unsigned long sum = 0;
  for (int round = 0; round < kRounds; round++) {
    lists[number] = NULL;
    for (long i = 0; i < kNodes; i++) lists[number] = Push(lists[number], i * (number + 1));
    if (round % kThreads == number) GC_gcollect();
    Litter(3000);
    sum = sum * 5 + Sum(lists[number]);
    sum += first_calls[(round + number) % kFirstCalls]((long)sum);
    if (round == 7) sum += (unsigned)ForkAndCollect(number);
  }
  static unsigned long results[kThreads];
  results[number] = sum;
  return &results[number];
}

int main(void) {
  GC_set_handle_fork(1);
  GC_INIT();
  for (long i = 0; i < kNodes; i++) in_a_structure.list = Push(in_a_structure.list, i);
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, Work, (void*)i);
  for (int i = 0; i < kThreads; i++) {
    void* result;
    pthread_join(threads[i], &result);
    printf("%lu\n", *(unsigned long*)result);
  }
  GC_gcollect();
  Litter(10000);
  printf("%lu %d\n", Sum(in_a_structure.list), GC_get_gc_no() > 5);
  return 0;
}

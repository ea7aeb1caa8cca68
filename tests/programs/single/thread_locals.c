/* Thread-local variables, and threads that call functions for the first time together. */
#include <pthread.h>
#include <stdio.h>

static _Thread_local int counter = 100;
_Thread_local char text[8] = "local";
static int results[8];

static int step(int by) { return counter += by; }

static void *work(void *argument) {
  long id = (long)argument;
  for (int i = 0; i < 10; ++i) step((int)id);
  text[0] = (char)('A' + id);
  results[id] = counter * 1000 + text[0] + text[1];
  return 0;
}

int main(void) {
  pthread_t threads[8];
  for (long i = 0; i < 8; ++i) pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < 8; ++i) pthread_join(threads[i], 0);
  for (int i = 0; i < 8; ++i) printf("%d ", results[i]);
  printf("%d %s\n", counter, text);
  return 0;
}

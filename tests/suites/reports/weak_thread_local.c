// A weak reference to a thread-local variable that a shared library defines. Found with our own
// programs.
//
// library: weak_thread_local_library.c
#include <pthread.h>
#include <stdio.h>

extern __thread int level __attribute__((weak));
extern int get_level(void);

static void *deeper(void *unused) {
  (void)unused;
  level += 10;
  printf("%d %d\n", level, get_level());
  return NULL;
}

int main(void) {
  pthread_t thread;
  level++;
  pthread_create(&thread, NULL, deeper, NULL);
  pthread_join(thread, NULL);
  printf("%d %d\n", level, get_level());
  return 0;
}

// A program looks for symbols by their names: its own come first, as in a program that exports all
// that it defines, and then those of the libraries.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __aarch64__
#define VERSION "GLIBC_2.17"
#else
#define VERSION "GLIBC_2.2.5"
#endif

typedef int OfInt(int);
typedef int OfNothing(void);

int variable = 3;
extern const int constant;
const int constant = 7;
int tentative;
_Thread_local int local = 4;
__attribute__((visibility("hidden"))) int hidden_variable = 5;
static int static_variable = 6;

int called(int x) { return x + 1; }
int called_by_name_only(int x) { return x + variable; }
__attribute__((weak)) int weak_function(int x) { return x + 2; }
int other_name(int x) __attribute__((alias("called")));
static int static_function(int x) { return x + 3; }

// In place of the C library's, to which it passes on.
int getpagesize(void) {
  OfNothing* next = (OfNothing*)dlsym(RTLD_NEXT, "getpagesize");
  if (next == NULL) return -1;
  return next != getpagesize ? 1000 + next() : -2;
}

static void check(void* handle, const char* how) {
  printf("%s:", how);
  printf(" %d", dlsym(handle, "called") == (void*)called);
  printf(" %d", dlsym(handle, "other_name") == (void*)other_name);
  printf(" %d", dlsym(handle, "weak_function") == (void*)weak_function);
  printf(" %d", dlsym(handle, "main") != NULL);
  printf(" %d", dlsym(handle, "variable") == &variable);
  printf(" %d", dlsym(handle, "constant") == &constant);
  printf(" %d", dlsym(handle, "tentative") == &tentative);
  printf(" %d", dlsym(handle, "local") == &local);
  printf(" %d", dlsym(handle, "getpagesize") == (void*)getpagesize);
  printf(" %d", dlsym(handle, "puts") == (void*)puts);
  printf(" %d", dlsym(handle, "exit") == (void*)exit);
  printf(" %d", dlsym(handle, "environ") != NULL);
  printf(" %d", dlsym(handle, "hidden_variable") != NULL);
  printf(" %d", dlsym(handle, "static_variable") != NULL);
  printf(" %d\n", dlsym(handle, "static_function") != NULL);
}

static void* check_in_thread(void* handle) {
  local = 8;
  check(handle, "in a thread");
  return NULL;
}

int main(void) {
  check(RTLD_DEFAULT, "everywhere");
  void* self = dlopen(NULL, RTLD_NOW);
  check(self, "the program");
  pthread_t thread;
  pthread_create(&thread, NULL, check_in_thread, RTLD_DEFAULT);
  pthread_join(thread, NULL);

  OfInt* found = (OfInt*)dlsym(RTLD_DEFAULT, "called_by_name_only");
  printf("%d\n", found == NULL ? -1 : found(5));
  int* number = (int*)dlsym(self, "variable");
  if (number != NULL) *number = 30;
  printf("%d %d\n", called_by_name_only(1), hidden_variable + static_variable + static_function(1));
  dlclose(self);

  printf("%d\n", getpagesize());
  printf("next: %d %d\n", dlsym(RTLD_NEXT, "called") != NULL, dlsym(RTLD_NEXT, "puts") != NULL);
  printf("%d %d\n", dlvsym(RTLD_NEXT, "getpagesize", VERSION) == dlsym(RTLD_NEXT, "getpagesize"),
         dlvsym(RTLD_DEFAULT, "getppid", VERSION) == (void*)getppid);  // Not a sanitizer's.

  dlerror();
  printf("%d", dlsym(RTLD_DEFAULT, "nobody_defines_this") != NULL);
  printf(" %d", strstr(dlerror(), "nobody_defines_this") != NULL);
  dlsym(RTLD_DEFAULT, "nobody_defines_this");
  printf(" %d", dlsym(RTLD_DEFAULT, "called") != NULL);
  printf(" %d\n", dlerror() == NULL);

  void* library = dlopen("libm.so.6", RTLD_LAZY);
  double (*cosine)(double) = (double (*)(double))dlsym(library, "cos");
  printf("%g %d\n", cosine(0), dlsym(library, "called") != NULL);
  return 0;
}

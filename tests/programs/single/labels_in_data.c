/* Labels that the inline assembly of functions defines, and which data, other functions and the
   assembly of the module name. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#if defined(__aarch64__)
#define JUMP "br %1\n"
#define STEP_2 "add %0, %0, %0, lsl #1\n add %0, %0, #3\n"
#define STEP_1 "add %0, %0, #5\n"
#define STEP_0 "add %0, %0, #1\n"
#define LOAD "ldr %w0, [%1]\n"
#define PC(context) (context)->uc_mcontext.pc
#else
#define JUMP "jmp *%1\n"
#define STEP_2 "leaq 3(%0,%0,2), %0\n"
#define STEP_1 "leaq 5(%0), %0\n"
#define STEP_0 "addq $1, %0\n"
#define LOAD "movl (%1), %0\n"
#define PC(context) (context)->uc_mcontext.gregs[REG_RIP]
#endif

/* Entry points inside a function, in a table in constant data. */
extern char step_0, step_1, step_2;
static const void *const steps[] = {&step_2, &step_1, &step_0};

__attribute__((noinline)) static long fold(long x, int n) {
  const void *to = steps[2 - n];
  __asm__ volatile(JUMP
                   ".globl step_2\n"
                   "step_2: " STEP_2
                   ".globl step_1\n"
                   "step_1: " STEP_1
                   ".globl step_0\n"
                   "step_0: " STEP_0
                   : "+r"(x)
                   : "r"(to)
                   : "cc");
  return x;
}

/* A load that may fault, and where to continue then: labels that are not global. */
extern char load_begin, load_end;

__attribute__((noinline)) static int load(const int *from) {
  int value = -1;
  __asm__ volatile("load_begin: " LOAD "load_end:\n" : "+r"(value) : "r"(from) : "memory");
  return value;
}

static void skip_load(int number, siginfo_t *info, void *data) {
  ucontext_t *context = data;
  (void)info;
  if ((char *)PC(context) < &load_begin || (char *)PC(context) >= &load_end) {
    signal(number, SIG_DFL);
    return;
  }
  PC(context) = (unsigned long)&load_end;
}

/* A function that is never called defines what the assembly of the module and other functions name.
 */
extern char inside_uncalled;
__attribute__((used, noinline)) static void uncalled(void) {
  __asm__ volatile("inside_uncalled: nop\n");
}
__asm__(
    ".data\n"
    ".p2align 3\n"
    "place_of_label: .quad inside_uncalled\n"
    ".text\n");
extern void *place_of_label;

static inline __attribute__((always_inline)) void probe(void) {
  __asm__ volatile("probe_site: nop\n");
}
extern char probe_site;

int main(void) {
  long sum = 0;
  for (int i = 0; i < 30000; ++i) sum += fold(i, i % 3);
  printf("%ld\n", sum);

  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = skip_load;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, NULL);
  int seven = 7, loaded = 0;
  const volatile void *const places[] = {&load_begin, &load_end};
  for (int i = 0; i < 20000; ++i) loaded += load(i % 1000 == 0 ? (int *)8 : &seven);
  printf("%d %d\n", loaded, places[0] < places[1]);

  printf("%d\n", place_of_label == &inside_uncalled && &inside_uncalled != (char *)0);
  probe();
  printf("%d\n", &probe_site != (char *)0);
  return 0;
}

/* Module-level assembly whose directives bind names, and names that stand for what the source
 * defines. */
#include <stdio.h>

#if defined(__aarch64__)
#define BUMP                      \
  "adrp x1, counter\n"            \
  "ldr x0, [x1, :lo12:counter]\n" \
  "add x0, x0, #1\n"              \
  "str x0, [x1, :lo12:counter]\n" \
  "ret\n"
#define JUMP_TO "b "
#else
#define BUMP                   \
  "incq counter(%rip)\n"       \
  "movq counter(%rip), %rax\n" \
  "ret\n"
#define JUMP_TO "jmp "
#endif

__asm__(
    ".local counter\n"
    ".comm counter,8,8\n"
    ".lcomm scratch,16\n"
    ".comm tentative,8,8\n"
    ".text\n"
    ".globl bump\n"
    ".hidden bump\n"
    "bump:\n" BUMP "local_bump: " JUMP_TO
    "bump\n"
    ".weak weak_bump\n"
    "weak_bump: " JUMP_TO
    "bump\n"
    ".set also_bump, bump\n"
    ".globl constant\n"
    "constant = 42\n"
    ".equ local_constant, constant + 1\n"
    /* Of what the source defines: a function, a part of a variable, and both if they are static. */
    ".globl doubled\n"
    ".set doubled, twice\n"
    ".set tripled, thrice\n"
    ".set second, numbers + 4\n"
    ".set third, letters + 2\n"
    ".weakref through_reference, twice\n"
    ".globl thrice\n"
    ".hidden twice\n"
    ".weak nobody_defines_this\n"
    ".globl nobody_uses_this\n");

long bump(void);
long local_bump(void);
long weak_bump(void);
long also_bump(void);
int doubled(int);
int tripled(int);
int through_reference(int);
extern char constant, local_constant;
extern long scratch[2], tentative;
extern int second;
extern char third;
extern int nobody_defines_this(void);

int twice(int x) { return 2 * x; }
__attribute__((used)) static int thrice(int x) { return 3 * x; }
int numbers[] = {10, 20, 30};
__attribute__((used)) static char letters[] = "abc";
static long (*const bumps[])(void) = {bump, local_bump, weak_bump, also_bump};
static int (*const products[])(int) = {doubled, tripled, thrice};
static int *const place = &second;
static char *const volatile constants[] = {&constant, &local_constant};
static int (*volatile nobody)(void) = nobody_defines_this;

int main(void) {
  for (int i = 0; i < 4; ++i) printf("%ld ", bumps[i]());
  printf("%ld %ld\n", local_bump(), also_bump());
  printf("%d %d\n", (int)(long)constants[0], (int)(long)constants[1]);
  for (int i = 0; i < 3; ++i) printf("%d ", products[i](7));
  printf("%d %d %d\n", doubled(4), tripled(5), doubled == twice);
  scratch[1] += 5;
  tentative += scratch[1];
  numbers[1] += 1;
  letters[2] = 'z';
  printf("%ld %d %d %c\n", tentative, second, *place, third);
  printf("%d\n", through_reference(8));
  printf("%d\n", nobody == 0);
  return 0;
}

// A bytecode interpreter with computed goto, running a loop over an array.
#include <stdint.h>
#include <stdio.h>

#include "scale.h"

enum Opcode {
  kPush,
  kLoad,
  kStore,
  kAdd,
  kMultiply,
  kXor,
  kLess,
  kGet,
  kPut,
  kBranch,
  kJump,
  kHalt
};

static int64_t Run(const int32_t* code, int64_t* variables, int64_t* memory) {
  static const void* const labels[] = {&&push, &&load, &&store, &&add,    &&multiply, &&xor_,
                                       &&less, &&get,  &&put,   &&branch, &&jump,     &&halt};
  int64_t stack[32];
  int64_t* top = stack;
#define NEXT goto* labels[*code++]
  NEXT;
push:
  *top++ = *code++;
  NEXT;
load:
  *top++ = variables[*code++];
  NEXT;
store:
  variables[*code++] = *--top;
  NEXT;
add:
  --top;
  top[-1] = (int64_t)((uint64_t)top[-1] + (uint64_t)top[0]);
  NEXT;
multiply:
  --top;
  top[-1] = (int64_t)((uint64_t)top[-1] * (uint64_t)top[0]);
  NEXT;
xor_:
  --top;
  top[-1] ^= top[0];
  NEXT;
less:
  --top;
  top[-1] = top[-1] < top[0];
  NEXT;
get:
  top[-1] = memory[top[-1] & 255];
  NEXT;
put:
  top -= 2;
  memory[top[1] & 255] = top[0];
  NEXT;
branch:
  code += *--top != 0 ? 1 : 1 + *code;
  NEXT;
jump:
  code += 1 + *code;
  NEXT;
halt:
  return variables[1];
#undef NEXT
}

// i = 0; do { sum = (sum + memory[i]) * 3 ^ i; memory[i] = sum; i = i + 1; } while (i < limit);
static const int32_t kProgram[] = {
    kPush,  0,   kStore, 0,                                                       // i = 0
    kLoad,  1,   kLoad,  0, kGet,  kAdd,    kPush, 3, kMultiply, kLoad, 0, kXor,  // sum + ...
    kStore, 1,   kLoad,  1, kLoad, 0,       kPut,                                 // memory[i] = sum
    kLoad,  0,   kPush,  1, kAdd,  kStore,  0,                                    // i = i + 1
    kLoad,  0,   kLoad,  2, kLess, kBranch, 2,                                    // if not: halt
    kJump,  -35, kHalt};

int main(int argc, char** argv) {
  const long scale = Scale(argc, argv, 280);
  int64_t variables[3] = {0, 1, 1000000};
  int64_t memory[256];
  for (int i = 0; i < 256; ++i) memory[i] = i * i;
  uint64_t result = 0;
  for (long i = 0; i < scale; ++i) result = result * 3 + (uint64_t)Run(kProgram, variables, memory);
  printf("%llu\n", (unsigned long long)result);
  return 0;
}

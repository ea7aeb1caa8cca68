// The other module of inline_statics_a.cc.
#include <cstdio>

#include "inline_statics.h"

static Log first("b: first");
static int from_b = SharedCounter();

int UseB() { return from_b; }
int CounterInB() { return SharedCounter(); }
int *InlineNumberInB() { return &inline_number; }
void BumpInB() {
  inline_number += 1;
  Cell<int>::value += 1;
  Cell<long>::value += 1;
}
int *LambdaCountInB() { return LambdaCount(); }
Shape *MakeInB() { return new Square<5>; }
bool SameFunctionInB(int (*function)()) { return function == &SharedCounter || function == &Only; }

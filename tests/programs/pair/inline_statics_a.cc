// What the linker merges: inline variables, statics of inline functions and templates, their
// guards, and vtables, shared by two modules; each module's own statics; and the order of
// initialisation.
#include <cstdio>

#include "inline_statics.h"

static Log first("a: first");
static int Late() { return SharedCounter() + 100; }
static int late = Late();
int from_a = UseB();
namespace {
Log unnamed("a: unnamed");
}

int main() {
  std::printf("%d %d\n", late, from_a);
  std::printf("%d %d\n", SharedCounter(), CounterInB());
  std::printf("%d %d %d\n", &inline_number == InlineNumberInB(), Cell<int>::value,
              Cell<long>::value);
  BumpInB();
  std::printf("%d %d %d\n", inline_number, Cell<int>::value, Cell<long>::value);
  std::printf("%d\n", LambdaCount() == LambdaCountInB());
  Shape *shape = MakeInB();
  std::printf("%d %s\n", shape->Area(), shape->Name());
  std::printf("%d\n", SameFunctionInB(&SharedCounter));
  std::printf("%d\n", SameFunctionInB(&Only));
  delete shape;
  return 0;
}

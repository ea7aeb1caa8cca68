// Embedding firstcall: takes IR and returns an address to call. No function is compiled before it
// is called.

#include <cstdio>

#include "firstcall/engine/engine.h"

int main() {
  auto engine = firstcall::Engine::Create();
  if (!engine.ok()) return 1;
  auto module = (*engine)->AddAssembly(R"(
    define i32 @square(i32 %x) { %y = mul i32 %x, %x  ret i32 %y }
    define i32 @cube(i32 %x) { %s = call i32 @square(i32 %x)  %c = mul i32 %s, %x  ret i32 %c }
  )",
                                       "shapes");
  if (!module.ok()) return 1;
  auto square = (*engine)->Lookup<int(int)>("square");  // A stub's address; still nothing compiled.
  if (!square.ok()) return 1;
  std::printf("square(7) = %d\n",
              (*square)(7));  // The first call compiles square, and only square.
  std::printf("compiled: %zu of %zu\n", (*engine)->stats().functions_compiled,
              (*engine)->stats().functions_known);
}

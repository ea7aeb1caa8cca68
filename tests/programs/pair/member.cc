// Compiled before: a member of an archive, which is linked because something needs it.
#include <cstdio>

#include "plugin.h"

namespace {

struct Object {
  Object() { std::puts("member starts"); }
  ~Object() { std::puts("member ends"); }
} object;

int count = 0;
char** values = nullptr;

// Also of a member that is linked while the program runs.
__attribute__((constructor)) void KeepArguments(int argc, char** argv, char** environment) {
  count = environment == nullptr ? 0 : argc;
  values = argv;
}

}  // namespace

int Member() { return 5; }

int CountArguments() { return count; }

const char* LastArgumentButOne() { return values[count - 2]; }

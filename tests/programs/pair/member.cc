// Compiled before: a member of an archive, which is linked because something needs it.
#include <cstdio>

#include "plugin.h"

namespace {

struct Object {
  Object() { std::puts("member starts"); }
  ~Object() { std::puts("member ends"); }
} object;

}  // namespace

int Member() { return 5; }

// Compiled before: a member of an archive that nothing needs.
#include <cstdio>

namespace {

struct Object {
  Object() { std::puts("unused member starts"); }
} object;

}  // namespace

int UnusedMember() { return 6; }

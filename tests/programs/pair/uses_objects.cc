// A module that is linked with an object file and an archive.
#include <cstdio>

#include "plugin.h"

namespace {

struct Object {
  Object() { std::puts("module starts"); }
  ~Object() { std::puts("module ends"); }
} object;

}  // namespace

int main() {
  std::puts(PluginName());
  std::printf("%d\n", Member());
  std::printf("%d arguments, last but one '%s'\n", CountArguments(), LastArgumentButOne());
  return 0;
}

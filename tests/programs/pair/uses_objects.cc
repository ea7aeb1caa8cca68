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
  return 0;
}

// Compiled before: an object file with constructors and destructors of every kind.
#include "plugin.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct Registrar {
  explicit Registrar(const char* what) : name(what) { std::printf("%s starts\n", what); }
  ~Registrar() { std::printf("%s ends\n", name.c_str()); }
  std::string name;
};

Registrar plugin("object");

void AtExit() { std::printf("exit handler of the object, before %s ends\n", plugin.name.c_str()); }

__attribute__((constructor(200))) void Early() {
  std::puts("early");
  std::atexit([] { std::puts("early exit handler of the object"); });
}
__attribute__((destructor)) void Last() { std::puts("destructor of the object"); }

}  // namespace

const char* PluginName() {
  static Registrar local("local of the object");
  static const int registered = std::atexit(AtExit);
  if (registered != 0) std::puts("not registered");
  return plugin.name.c_str();
}

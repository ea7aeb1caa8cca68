// Compiled before: an object file with constructors and destructors of every kind.
#include "plugin.h"

#include <cstdio>
#include <string>

namespace {

struct Registrar {
  explicit Registrar(const char* what) : name(what) { std::printf("%s starts\n", what); }
  ~Registrar() { std::printf("%s ends\n", name.c_str()); }
  std::string name;
};

Registrar plugin("object");

__attribute__((constructor(200))) void Early() { std::puts("early"); }
__attribute__((destructor)) void Last() { std::puts("destructor of the object"); }

}  // namespace

const char* PluginName() {
  static Registrar local("local of the object");
  return plugin.name.c_str();
}

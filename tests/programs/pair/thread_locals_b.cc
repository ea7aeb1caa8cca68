// The other translation unit of thread_locals_a.cc.
#include <cstdio>
#include <string>

struct Tracer {
  explicit Tracer(const char *name) : name(name), uses(0) { std::printf("make %s\n", name); }
  ~Tracer() { std::printf("end %s %d\n", name, uses); }
  const char *name;
  int uses;
};

thread_local Tracer shared("shared");
thread_local int plain = 100;
inline thread_local std::string text = "start";

void UseElsewhere(int times) {
  static thread_local Tracer own("in function");
  own.uses += times;
  shared.uses += times;
}
const char *TextElsewhere() { return text.c_str(); }
int &PlainElsewhere() { return plain; }

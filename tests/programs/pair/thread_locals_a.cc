// Thread-local variables of two translation units: shared ones with dynamic initialisation, inline
// and static ones, ones with destructors in threads, and the C library's errno.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

struct Tracer {
  explicit Tracer(const char *name) : name(name), uses(0) { std::printf("make %s\n", name); }
  ~Tracer() { std::printf("end %s %d\n", name, uses); }
  const char *name;
  int uses;
};

extern thread_local Tracer shared;
extern thread_local int plain;
inline thread_local std::string text = "start";
static thread_local Tracer own("own");
void UseElsewhere(int times);
const char *TextElsewhere();
int &PlainElsewhere();

static void Work(const char *name) {
  text += name;
  own.uses += 1;
  shared.uses += 2;
  UseElsewhere(10);
  plain += 5;
  PlainElsewhere() += 20;
  std::printf("%s %d %d\n", TextElsewhere(), plain, &plain == &PlainElsewhere());
}

static int ErrorOf(const char *digits) {
  errno = 0;
  long value = std::strtol(digits, nullptr, 10);
  int *const where = &errno;
  return value != 0 ? *where : -1;
}

int main() {
  std::thread(Work, " one").join();
  std::thread([] {
    std::thread(Work, " two").join();
    errno = 5;
    std::printf("%d\n", ErrorOf("7") + errno);
  }).join();
  std::printf("%d %d\n", ErrorOf("99999999999999999999") == ERANGE, ErrorOf("12"));
  Work(" main");
  return 0;
}

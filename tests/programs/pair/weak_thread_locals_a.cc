// Thread-local variables that this module knows only as weak references: another module, or a
// library, defines them, and each thread has its own.
#include <cstdio>
#include <mutex>
#include <thread>

extern __thread int depth __attribute__((weak));
extern __thread const char *name __attribute__((weak));
// The C++ library's std::__once_call.
extern __thread void (*once_call)() __asm__("_ZSt11__once_call") __attribute__((weak));

__attribute__((noinline)) static int Deeper(int by) {
  depth += by;
  return depth;
}

static void Nothing() {}

__attribute__((noinline)) static int SetsTheLibrarys() {
  once_call = Nothing;
  return &once_call == &std::__once_call && std::__once_call == Nothing;
}

int main() {
  std::printf("%d %s\n", Deeper(1), name);
  std::thread([] { std::printf("%d %s\n", Deeper(10), name); }).join();
  std::printf("%d %d\n", Deeper(1), &depth != nullptr);
  std::printf("%d\n", SetsTheLibrarys());
  std::thread([] { std::printf("%d %d\n", once_call == nullptr, SetsTheLibrarys()); }).join();
}

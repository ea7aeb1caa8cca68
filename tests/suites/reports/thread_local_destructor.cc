// The destructors of thread-local variables, which run at the end of main's thread after everything
// else: https://github.com/llvm/llvm-project/issues/206803
#include <cstdio>
#include <string>
#include <thread>

struct Guest {
  explicit Guest(const char* said) : name(said) { std::printf("enter %s\n", name.c_str()); }
  ~Guest() { std::printf("leave %s\n", name.c_str()); }
  std::string name;
};

__attribute__((noinline)) static void Visit(const char* name) {
  thread_local Guest guest(name);
  std::printf("%s visits %s\n", guest.name.c_str(), name);
}

static Guest host("host");

int main() {
  Visit("main");
  std::thread([] {
    Visit("other");
    Visit("again");
  }).join();
  Visit("late");
  return 0;
}

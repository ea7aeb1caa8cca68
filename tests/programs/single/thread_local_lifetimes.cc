// How long thread-local variables live: until the last destructor of the thread, whichever came
// first, the variable or the key. C++ objects are destroyed before the keys' destructors run, in
// the reverse order of their construction. A variable in a forked child is as its thread left it.

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace {

struct Loud {
  explicit Loud(const char* object_name) : name(object_name) { std::printf("  +%s\n", name); }
  ~Loud() { std::printf("  -%s, %d\n", name, count); }
  const char* name;
  int count = 0;
};

thread_local int count;     // Reached before the key is made.
thread_local int late = 5;  // Reached first in the key's destructor.
thread_local Loud first("first");
thread_local Loud second("second");
thread_local std::string text = "initial";
alignas(64) thread_local int wide[100] = {1, 2, 3};
thread_local char large[100000];
thread_local int* pointer = &count;  // Initialized when the thread first needs it.

pthread_key_t key;
int runs;

// Sets the key again, so that it runs a second time.
void Report(void* value) {
  std::printf("  key: %d, %d, %d, %d\n", count, late++, wide[2], large[99999]);
  if (++runs % 2 != 0) pthread_setspecific(key, value);
}

void* Work(void* argument) {
  const int number = static_cast<int>(reinterpret_cast<intptr_t>(argument));
  count = 40 + number;
  pthread_key_create(&key, Report);
  pthread_setspecific(key, &runs);
  second.count = number;
  first.count = 10 * number;
  wide[2] += number;
  large[99999] = static_cast<char>(number);
  text += std::to_string(number);
  std::printf("  %s, %d, %d, %d\n", text.c_str(), *pointer, pointer == &count,
              reinterpret_cast<uintptr_t>(wide) % 64 == 0);
  return &count;
}

}  // namespace

int main() {
  for (intptr_t i = 1; i <= 3; ++i) {
    std::printf("thread %d\n", static_cast<int>(i));
    pthread_t thread;
    pthread_create(&thread, nullptr, Work, reinterpret_cast<void*>(i));
    pthread_join(thread, nullptr);
  }
  std::printf("main: %d, %d, %s\n", count, wide[2], text.c_str());
  count = 7;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    pthread_t thread;
    std::printf("child: %d\n", count++);
    pthread_create(&thread, nullptr, Work, reinterpret_cast<void*>(4));
    pthread_join(thread, nullptr);
    std::printf("child: %d\n", count);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("parent: %d, %d\n", count, status);
  return 0;
}

// Statics of functions: initialised once by threads that come together, by an initialiser that
// throws first, by initialisers that need each other's functions; thread-local objects with
// destructors.
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {
std::atomic<int> made{0};
std::atomic<int> ended{0};

struct Slow {
  Slow() {
    std::this_thread::yield();
    ++made;
  }
  int value = 5;
};
int Together() {
  static Slow slow;
  return slow.value;
}
int Fail(int times) {
  static int tries = 0;
  if (++tries < times) throw std::runtime_error("not yet");
  return tries;
}
int Eventually() {
  static const int value = Fail(3);
  return value;
}
int Factorial(int n) {
  static std::vector<int> known(20, 0);
  if (known[static_cast<size_t>(n)] == 0)
    known[static_cast<size_t>(n)] = n < 2 ? 1 : n * Factorial(n - 1);
  return known[static_cast<size_t>(n)];
}
int Second();
int First(bool again) {
  static int value = again ? Second() + 1 : 0;
  return value;
}
int Second() {
  static std::string text = "second";
  return static_cast<int>(text.size());
}
struct PerThread {
  PerThread() : text("thread") {}
  ~PerThread() { ended += static_cast<int>(text.size()); }
  std::string text;
};
void UsePerThread(int n) {
  thread_local PerThread object;
  object.text += std::string(static_cast<size_t>(n), 'x');
}
}  // namespace

int main() {
  std::vector<std::thread> threads;
  std::atomic<int> sum{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&sum, i] {
      sum += Together();
      UsePerThread(i);
      UsePerThread(1);
    });
  }
  for (std::thread &thread : threads) thread.join();
  std::printf("%d %d %d\n", made.load(), sum.load(), ended.load());
  for (int i = 0; i < 4; ++i) {
    try {
      std::printf("%d\n", Eventually());
    } catch (const std::runtime_error &error) {
      std::printf("%s\n", error.what());
    }
  }
  std::printf("%d %d\n", Factorial(10), First(true));
  return 0;
}

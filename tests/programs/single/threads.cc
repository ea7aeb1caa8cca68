// Many threads call the same functions for the first time at once; thread-local objects are
// destroyed.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::atomic<int> destroyed{0};
struct Counter {
  int value = 0;
  ~Counter() { destroyed += value > 0; }
};
thread_local Counter counter;
static std::once_flag once;
static std::atomic<int> initialized{0};

template <int N>
int Work(int x) {
  static std::atomic<int> calls{0};
  ++calls;
  ++counter.value;
  if constexpr (N > 0) return Work<N - 1>(x) + N;
  return x;
}

int main() {
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::call_once(once, [] { ++initialized; });
      sum += Work<40>(t) + counter.value;
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("%d %d %d\n", sum.load(), destroyed.load(), initialized.load());
  return 0;
}

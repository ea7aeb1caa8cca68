// std::call_once, whose inline half writes a thread-local variable that the library's half reads:
// https://github.com/compiler-research/CppInterOp/pull/1103
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::once_flag flag;
static int calls, failures;

static void Initialize(int number) {
  if (number == 0 && failures++ == 0) throw number;
  ++calls;
}

int main() {
  try {
    std::call_once(flag, Initialize, 0);
  } catch (int number) {
    std::printf("caught %d\n", number);
  }
  std::vector<std::thread> threads;
  for (int number = 1; number < 5; ++number) {
    threads.emplace_back([number] { std::call_once(flag, Initialize, number); });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%d %d\n", calls, failures);
  return 0;
}

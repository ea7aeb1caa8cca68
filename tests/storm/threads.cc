// A program with threads that sort, allocate, throw and are cancelled: `threads ROUNDS`. It prints
// what does not depend on when anything happens.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<int> alive, begun, ended;

struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
};

thread_local std::map<int, std::string> names;

unsigned long Compute(int number) {
  std::vector<unsigned> values(300);
  std::iota(values.begin(), values.end(), static_cast<unsigned>(number));
  for (unsigned& value : values) value = value * 2654435761u;
  std::sort(values.begin(), values.end());
  for (int i = 0; i < 20; ++i) names[i] = std::to_string(values[static_cast<size_t>(i)] % 100);
  unsigned long sum = std::accumulate(values.begin(), values.end(), 0ul);
  try {
    const Counted counted;
    if (number % 3 == 0) throw std::runtime_error(names[number % 20]);
  } catch (const std::exception& error) {
    sum += static_cast<unsigned char>(error.what()[0]);
  }
  return sum;
}

// Is cancelled at one of its pauses.
void* UntilCancelled(void* number) {
  struct AtEnd {
    ~AtEnd() { ++ended; }
  } const at_end;
  const Counted counted;
  ++begun;
  for (int i = 0;; ++i) {
    const auto held = std::make_unique<Counted>();
    Compute(static_cast<int>(reinterpret_cast<long>(number)) + i);
    pthread_testcancel();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  unsigned long sum = 0;
  int cancelled = 0;
  unsigned seed = 1;
  for (int round = 0; round < rounds; ++round) {
    unsigned long results[2] = {};
    pthread_t endless;
    pthread_create(&endless, nullptr, UntilCancelled, reinterpret_cast<void*>(long{round}));
    std::thread other([&] { results[0] = Compute(round); });
    results[1] = Compute(round + 1);
    while (begun == round) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(rand_r(&seed) % 300));
    pthread_cancel(endless);
    other.join();
    void* result = nullptr;
    pthread_join(endless, &result);
    cancelled += result == PTHREAD_CANCELED;
    sum = sum * 31 + results[0] * 7 + results[1];
  }
  std::printf("%lu %d %d %d\n", sum, cancelled, alive.load(), ended.load());
  return 0;
}

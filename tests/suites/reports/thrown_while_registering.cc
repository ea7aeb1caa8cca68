// One thread throws and catches without a pause, while another calls functions for the first time,
// each of which registers unwind tables. libgcc 12 reads fields of a registration after it has
// unlocked its list: what withdraws one then takes it away from under the unwinder. Found with our
// own programs; Wasmer and NoisePage met the unwinder's list in this way, too
// (wasmerio/wasmer#5893, cmu-db/noisepage#962).
#include <atomic>
#include <cstdio>
#include <thread>

struct Odd {
  long number;
};
struct Even {
  long number;
};

__attribute__((noinline)) static void Throw(long number) {
  if (number % 2) throw Odd{number};
  throw Even{number};
}

__attribute__((noinline)) static long Catch(long number) {
  try {
    Throw(number);
  } catch (const Odd& odd) {
    return odd.number - number;
  } catch (const Even& even) {
    return even.number - number;
  }
  return 1;
}

template <int kNumber>
__attribute__((noinline)) int Step(int value) {
  try {
    if (value == kNumber) throw Odd{value};
    return value + kNumber;
  } catch (const Odd& odd) {
    return static_cast<int>(odd.number) * 2;
  }
}

template <int... kNumbers>
int CallAll(std::integer_sequence<int, kNumbers...>) {
  int sum = 0;
  ((sum += Step<kNumbers>(kNumbers % 3 ? 7 : kNumbers)), ...);
  return sum;
}

int main() {
  std::atomic<bool> done{false};
  std::atomic<long> wrong{0};
  std::thread thrower([&] {
    for (long number = 0; !done; ++number) wrong += Catch(number);
  });
  const int sum = CallAll(std::make_integer_sequence<int, 150>());
  done = true;
  thrower.join();
  std::printf("%d %ld\n", sum, wrong.load());
  return 0;
}

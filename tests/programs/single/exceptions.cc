// Exceptions through frames that are compiled on the way, through the library's callbacks,
// rethrown, with destructors on the way, out of a thread.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Trace {
  explicit Trace(const char* n) : name(n) {}
  ~Trace() { std::printf("~%s ", name); }
  const char* name;
};

static void Throw(int n) {
  Trace trace("frame");
  if (n == 0) throw std::runtime_error("deep");
  Throw(n - 1);
}

static void Rethrow() {
  try {
    Throw(2);
  } catch (...) {
    Trace trace("rethrow");
    throw;
  }
}

struct Custom {
  int code;
};

int main() {
  try {
    Rethrow();
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
  std::vector<int> numbers = {3, 1, 2};
  try {
    std::sort(numbers.begin(), numbers.end(), [](int a, int b) {
      if (a == 2 || b == 2) throw Custom{a + b};
      return a < b;
    });
  } catch (const Custom& c) {
    std::printf("custom %d\n", c.code > 0);
  }
  std::exception_ptr caught;
  std::thread([&] {
    try {
      Throw(1);
    } catch (...) {
      caught = std::current_exception();
    }
  }).join();
  try {
    std::rethrow_exception(caught);
  } catch (const std::runtime_error& e) {
    std::printf("from thread: %s\n", e.what());
  }
  try {
    std::printf("%d\n", std::stoi("no number"));
  } catch (const std::invalid_argument& e) {
    std::printf("%s\n", e.what());
  }
  return 0;
}

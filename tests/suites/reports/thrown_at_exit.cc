// Exceptions are thrown and caught in functions that run at exit, where the unwind tables of
// compiled code must still be known: https://github.com/wasmerio/wasmer/pull/5893
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

static void AtExit() {
  try {
    throw std::runtime_error("at exit");
  } catch (const std::exception& error) {
    std::puts(error.what());
  }
}

struct Last {
  ~Last() {
    try {
      throw 5;
    } catch (int number) {
      std::printf("in a destructor: %d\n", number);
    }
  }
};

static Last last;

__attribute__((destructor)) static void Finish() {
  try {
    throw 'x';
  } catch (char letter) {
    std::printf("in a function of the section's: %c\n", letter);
    std::fflush(stdout);
  }
}

int main() {
  std::atexit(AtExit);
  try {
    throw 1;
  } catch (...) {
    std::exit(0);
  }
}

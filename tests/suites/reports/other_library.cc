// LLVM's C++ library, which shares names with the one that the engine itself uses: exceptions that
// go from thread to thread. Found with compiler flags.
//
// flags: -stdlib=libc++
// load: libc++abi.so.1 libc++.so.1
#include <cstdio>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>

__attribute__((noinline)) static std::string Describe(std::exception_ptr pointer) {
  try {
    std::rethrow_exception(pointer);
  } catch (const std::runtime_error& error) {
    return error.what();
  } catch (int number) {
    return std::to_string(number);
  }
}

int main() {
  auto failing =
      std::async(std::launch::async, []() -> int { throw std::runtime_error("elsewhere"); });
  try {
    failing.get();
  } catch (...) {
    std::puts(Describe(std::current_exception()).c_str());
  }
  std::puts(Describe(std::make_exception_ptr(17)).c_str());
  return 0;
}

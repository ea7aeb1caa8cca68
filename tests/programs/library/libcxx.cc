// A program that is linked with LLVM's C++ library: exceptions of the program, of the library and
// across it, type information, threads, streams, memory.

#include <any>
#include <exception>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

namespace {

struct Base {
  virtual ~Base() = default;
  virtual int Value() const { return 1; }
};

struct Derived : Base {
  int Value() const override { return 2; }
};

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Guard {
  explicit Guard(const char* guard_name) : name(guard_name) {}
  ~Guard() { std::cout << "end of " << name << '\n'; }
  const char* name;
};

int Throw(int value) {
  const Guard guard("Throw");
  if (value == 1) throw value;
  if (value == 2) throw Failure("a failure with a text that does not fit into the object");
  return value;
}

void ThrowAndCatch() {
  for (int value = 0; value < 3; ++value) {
    try {
      std::cout << Throw(value) << '\n';
    } catch (const std::exception& error) {
      std::cout << error.what() << '\n';
    } catch (int thrown) {
      std::cout << "int " << thrown << '\n';
    }
  }
}

void CatchOfLibrary() {
  try {
    std::vector<int>().at(3);
  } catch (const std::out_of_range&) {
    std::cout << "out of range\n";
  }
  try {
    std::any_cast<int>(std::any(std::string("text")));
  } catch (const std::bad_any_cast&) {
    std::cout << "bad any_cast\n";
  }
  try {
    const Base base;
    const Base& reference = base;
    std::cout << dynamic_cast<const Derived&>(reference).Value() << '\n';
  } catch (const std::bad_cast&) {
    std::cout << "bad cast\n";
  }
  std::istringstream numbers("x");
  numbers.exceptions(std::ios::failbit);
  try {
    int number = 0;
    numbers >> number;
  } catch (const std::ios_base::failure&) {
    std::cout << "failure of a stream\n";
  }
}

void Rethrow() {
  std::exception_ptr kept;
  try {
    throw 5;
  } catch (...) {
    kept = std::current_exception();
  }
  try {
    std::rethrow_exception(kept);
  } catch (int value) {
    std::cout << "again " << value << '\n';
  }
  try {
    try {
      throw Failure("inner");
    } catch (...) {
      std::throw_with_nested(std::runtime_error("outer"));
    }
  } catch (const std::exception& outer) {
    try {
      std::rethrow_if_nested(outer);
    } catch (const Failure& inner) {
      std::cout << outer.what() << " around " << inner.what() << '\n';
    }
  }
}

void UseThreads() {
  std::cout << std::async(std::launch::async, [] { return 3; }).get() << '\n';
  auto failed = std::async(std::launch::async, [] { return Throw(2); });
  try {
    failed.get();
  } catch (const Failure&) {
    std::cout << "a failure of a thread\n";
  }
  std::once_flag once;
  std::mutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      std::call_once(once, [] { std::cout << "once\n"; });
      for (int j = 0; j < 1000; ++j) {
        const std::lock_guard<std::mutex> lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::cout << count << '\n';
}

thread_local const Guard of_thread("a thread");
const Guard of_program("the program");

}  // namespace

int main(int argc, char** argv) {
  std::cout << of_program.name << ": " << argc << " arguments, last but one " << argv[argc - 2]
            << '\n';
  ThrowAndCatch();
  CatchOfLibrary();
  Rethrow();
  UseThreads();
  std::thread([] { std::cout << of_thread.name << '\n'; }).join();
  const std::unique_ptr<Base> object = std::make_unique<Derived>();
  const Base& derived = *object;
  std::cout << derived.Value() << ' ' << (typeid(derived) == typeid(Derived)) << '\n';
  std::map<std::string, int> lengths;
  for (std::string word; std::cin >> word;) lengths[word] = static_cast<int>(word.size());
  for (const auto& [word, length] : lengths) std::cout << word << ' ' << length << '\n';
  return 0;
}

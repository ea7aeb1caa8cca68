// Exceptions thrown in one module and caught in another: through destructors, callbacks of the C
// library, noexcept(false) constructors, nested and rethrown ones, as exception_ptr across threads,
// with dynamic_cast and typeid of classes that both modules know.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>

#include "exceptions.h"

static int ThrowingCompare(const void *a, const void *b) {
  const int x = *static_cast<const int *>(a);
  const int y = *static_cast<const int *>(b);
  if (x == 3 || y == 3) throw Failure(x + y);
  return x - y;
}

template <class Function>
static void Try(const char *what, Function function) {
  Guard guard(what);
  try {
    function();
    std::printf("%s: nothing\n", what);
  } catch (const Failure &failure) {
    std::printf("%s: Failure %d %s\n", what, failure.code, typeid(failure).name());
  } catch (const std::exception &e) {
    std::printf("%s: %s\n", what, e.what());
    try {
      std::rethrow_if_nested(e);
    } catch (int number) {
      std::printf("  in it %d\n", number);
    } catch (...) {
      std::printf("  in it something\n");
    }
  } catch (const char *text) {
    std::printf("%s: text %s\n", what, text);
  } catch (...) {
    std::printf("%s: unknown\n", what);
  }
}

int main() {
  Try("direct", [] { Throw(0, 1); });
  Try("derived", [] { Throw(1, 2); });
  Try("deep", [] { Throw(2, 20); });
  Try("nested", [] { Throw(3, 3); });
  Try("text", [] { Throw(4, 4); });
  Try("private", [] { Throw(5, 5); });
  Try("none", [] { Throw(6, 6); });
  Try("library", [] { Throw(7, 7); });
  Try("sort", [] {
    int numbers[] = {5, 3, 9, 1};
    std::qsort(numbers, 4, sizeof(int), ThrowingCompare);
  });
  Try("sort elsewhere", [] { SortElsewhere(ThrowingCompare); });
  Try("member", [] { Holder holder(3); });
  Try("thread", [] {
    std::exception_ptr pointer;
    std::thread([&] {
      Guard guard("in thread");
      try {
        Throw(1, 9);
      } catch (...) {
        pointer = std::current_exception();
      }
    }).join();
    std::rethrow_exception(pointer);
  });
  Try("callback", [] {
    CallBack([](int n) {
      if (n > 2) throw std::out_of_range("callback");
    });
  });
  Base *made = Make(1);
  Base *other = Make(2);
  std::printf("%d %d %d %d %s\n", dynamic_cast<Left *>(made) != nullptr,
              dynamic_cast<Right *>(made) != nullptr, dynamic_cast<Right *>(other) != nullptr,
              dynamic_cast<void *>(made) == made, typeid(*other).name());
  std::printf("%d %d\n", typeid(*made) == TypeOf(1), typeid(*other) == TypeOf(1));
  if (Left *left = dynamic_cast<Left *>(made)) std::printf("%d\n", left->Value());
  delete made;
  delete other;
  return 0;
}

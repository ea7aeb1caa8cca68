// The other module of exceptions_a.cc.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include "exceptions.h"

namespace {
struct Hidden {
  int n;
};
struct Both final : Left, Right {
  int Value() const override { return 5; }
};
void Deep(int left, int code) {
  std::string text(static_cast<size_t>(left), 'x');
  if (left == 0) throw Worse(code);
  Deep(left - 1, code);
  std::printf("never %s\n", text.c_str());
}
void Swallow(int code) noexcept {
  try {
    Deep(3, code);
  } catch (const Failure &) {
    std::printf("swallowed\n");
  }
}
}  // namespace

Part::Part(int n) : n(n) {
  if (n == 3) throw std::invalid_argument("part");
}

void Throw(int how, int code) {
  Guard guard("Throw");
  switch (how) {
    case 0:
      throw Failure(code);
    case 1:
      throw Worse(code);
    case 2:
      try {
        Deep(code, code);
      } catch (Failure &failure) {
        failure.code += 1;
        throw;
      }
      break;
    case 3:
      try {
        throw code;
      } catch (...) {
        std::throw_with_nested(std::runtime_error("outer"));
      }
    case 4:
      throw "some text";
    case 5:
      throw Hidden{code};
    case 6:
      Swallow(code);
      break;
    default:
      std::printf("%d\n", std::vector<int>(2).at(static_cast<size_t>(code)));
  }
}

void SortElsewhere(int (*compare)(const void *, const void *)) {
  Guard guard("SortElsewhere");
  int numbers[] = {2, 2, 2};
  std::qsort(numbers, 3, sizeof(int), compare);
}

void CallBack(void (*function)(int)) {
  for (int i = 0;; ++i) {
    Guard guard("round");
    function(i);
  }
}

Base *Make(int which) {
  if (which == 1) return new Left;
  return new Both;
}

const std::type_info &TypeOf(int which) {
  Base *made = Make(which);
  const std::type_info &type = typeid(*made);
  delete made;
  return type;
}

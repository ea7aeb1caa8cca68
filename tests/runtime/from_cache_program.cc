// Compiled to bitcode: what a program needs at run time, besides its functions' code.

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

thread_local int calls = 0;

struct Greeting {
  Greeting() : text("constructed") {}
  ~Greeting() { std::printf("destroyed, %d calls\n", calls); }
  std::string text;
};
Greeting greeting;

struct Shape {
  virtual ~Shape() = default;
  virtual int Area() const = 0;
};
struct Square final : Shape {
  explicit Square(int side) : side_(side) {}
  int Area() const override {
    ++calls;
    if (side_ < 0) throw std::invalid_argument("negative");
    return side_ * side_;
  }
  int side_;
};

int Compare(const void* a, const void* b) {
  ++calls;
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

const char* NameOf(int number) {
  switch (number) {
    case 0:
      return "zero";
    case 1:
      return "one";
    case 2:
      return "two";
    case 3:
      return "three";
    case 4:
      return "four";
    default:
      return "many";
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%s %s\n", greeting.text.c_str(), argc > 1 ? argv[1] : "nothing");
  std::atexit([] { std::printf("at exit\n"); });
  std::vector<int> numbers = {4, 1, 3, 0, 9};
  std::qsort(numbers.data(), numbers.size(), sizeof(int), Compare);
  for (int number : numbers) std::printf("%s ", NameOf(number));
  double sum = 0.5;
  for (int side : {3, -1}) {
    try {
      sum += Square(side).Area();
    } catch (const std::exception& error) {
      std::printf("\n%s\n", error.what());
    }
  }
  std::printf("%.2f\n", sum);
  return 7;
}

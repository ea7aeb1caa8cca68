// Virtual calls, casts, static initialization, function-local statics, templates, streams,
// containers.
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <typeinfo>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual double Area() const = 0;
};
struct Square : Shape {
  explicit Square(double s) : side(s) {}
  double Area() const override { return side * side; }
  double side;
};
struct Named {
  virtual ~Named() = default;
  virtual std::string Name() const { return "named"; }
};
struct Disc : Shape, Named {
  double Area() const override { return 3; }
  std::string Name() const override { return "disc"; }
};

static int order;
struct Static {
  explicit Static(const char* n) : name(n), number(++order) { std::printf("%s%d ", name, number); }
  ~Static() { std::printf("~%s%d\n", name, number); }
  const char* name;
  int number;
};
static Static a("a");
static Static b("b");
inline Static shared("inline");

Static& Local() {
  static Static local("local");
  return local;
}

template <int N>
int Sum() {
  return N + Sum<N - 1>();
}
template <>
int Sum<0>() {
  return 0;
}

int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>(2));
  shapes.push_back(std::make_unique<Disc>());
  double total = 0;
  for (const auto& shape : shapes) {
    total += shape->Area();
    if (const auto* named = dynamic_cast<const Named*>(shape.get()))
      std::cout << named->Name() << ' ';
  }
  const Shape& second = *shapes[1];
  std::cout << total << ' ' << (typeid(second) == typeid(Disc)) << ' ' << Sum<20>() << ' '
            << Local().number + Local().number << '\n';
  std::map<std::string, std::function<int(int)>> functions = {
      {"double", [](int x) { return x * 2; }}, {"shift", [&](int x) { return x + (int)total; }}};
  std::ostringstream out;
  for (const auto& [name, function] : functions) out << name << '=' << function(10) << ';';
  std::cout << out.str() << std::endl;
  return 4;
}

// Classes whose tables of virtual functions clang gives to the static linker in a module of their
// own, if it is told that this linker sees the whole program: such bitcode has two modules. One of
// the classes is local to the file.
#include <cstdio>
#include <memory>
#include <typeinfo>
#include <vector>

struct Shape {
  virtual int Area() const { return 1; }
  virtual int Scaled(int by) const { return by + 1; }
  virtual ~Shape() = default;
};

struct Named {
  virtual const char *Name() const { return "named"; }
  virtual ~Named() = default;
};

struct Square : virtual Shape {
  int Area() const override { return 4; }
};

struct Wide : virtual Shape {
  int Scaled(int by) const override { return 2 * by; }
};

struct Both : Square, Wide, Named {
  int Area() const override { return Square::Area() + 5; }
  int Scaled(int by) const override { return Wide::Scaled(by) + 7; }
  const char *Name() const override { return "both"; }
};

namespace {

struct Local : Both {
  const char *Name() const override { return "local"; }
};

}  // namespace

__attribute__((noinline)) static long Use(const Shape &shape, const Named *named, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += shape.Area() + shape.Scaled(i);
    if (named != nullptr) sum += named->Name()[0];
  }
  return sum;
}

int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Shape>());
  shapes.push_back(std::make_unique<Square>());
  shapes.push_back(std::make_unique<Both>());
  shapes.push_back(std::make_unique<Local>());
  long sum = 0;
  for (int i = 0; i < 100; ++i) {
    for (const auto &shape : shapes) {
      sum += Use(*shape, dynamic_cast<const Named *>(shape.get()), 20);
    }
  }
  int (Shape::*member)(int) const = &Shape::Scaled;
  std::printf("%ld %d %d\n", sum, (shapes[0].get()->*member)(5), (shapes[2].get()->*member)(5));
  const Shape &last = *shapes[3];
  std::printf("%d\n", typeid(last) == typeid(Local));
}

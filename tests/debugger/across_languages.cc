// The C++ part of a program of two languages: main calls C, which calls C++, which calls C.

#include <memory>
#include <vector>

extern "C" int run_c(int count);

namespace {

class Shape {
 public:
  virtual ~Shape() = default;
  virtual int Area() const = 0;
};

class Square final : public Shape {
 public:
  explicit Square(int side) : side_(side) {}
  int Area() const override { return side_ * side_; }

 private:
  int side_;
};

template <typename Function>
int SumOver(const std::vector<std::unique_ptr<Shape>>& shapes, Function add_area) {
  int sum = 0;
  for (const auto& shape : shapes) sum = add_area(shape->Area());  // calls C
  return sum;
}

}  // namespace

extern "C" int sum_over_shapes(int count, int (*add_area)(int)) {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 1; i <= count; ++i) shapes.push_back(std::make_unique<Square>(i));
  return SumOver(shapes, add_area);  // calls a template
}

int main() { return run_c(3) == 14 ? 0 : 1; }

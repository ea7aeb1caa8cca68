// Virtual functions through every kind of table, before and after they are hot: calls, pointers to
// members and their comparisons, thunks of second bases, types at run time; and in a forked child.
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <typeinfo>
#include <vector>

namespace {

class Shape {
 public:
  virtual ~Shape() = default;
  virtual int64_t Area() const = 0;
  virtual int64_t Scale(int64_t factor) { return factor * Area(); }
};

class Named {
 public:
  virtual ~Named() = default;
  virtual int64_t Letters() const { return 5; }
  virtual Named* Self() { return this; }
};

class Square : public Shape {
 public:
  explicit Square(int64_t side) : side_(side) {}
  int64_t Area() const override { return side_ * side_; }

 protected:
  int64_t side_;
};

// Calls through Named reach it by thunks.
class Tile final : public Square, public Named {
 public:
  using Square::Square;
  int64_t Letters() const override { return side_ + 4; }
  int64_t Scale(int64_t factor) override { return factor * Area() + Letters(); }
  Tile* Self() override { return this; }
};

class Line final : public Shape {
 public:
  int64_t Area() const override { return 0; }
};

int64_t SumOf(const std::vector<std::unique_ptr<Shape>>& shapes, int rounds) {
  int64_t sum = 0;
  for (int i = 0; i < rounds; ++i) {
    for (const auto& shape : shapes) sum = (sum * 31 + shape->Scale(i)) & 0xffffffff;
  }
  return sum;
}

int64_t ThroughMembers(Shape& shape, int rounds) {
  int64_t (Shape::*scale)(int64_t) = &Shape::Scale;
  int64_t (Shape::*area)() const = &Shape::Area;
  int64_t sum = 0;
  for (int i = 0; i < rounds; ++i) sum += (shape.*scale)(i) + (shape.*area)();
  return scale == &Shape::Scale && area == &Shape::Area ? sum : -1;
}

int64_t ThroughNamed(Named& named, int rounds) {
  int64_t sum = 0;
  for (int i = 0; i < rounds; ++i) sum += named.Self()->Letters();
  return sum;
}

void Print(const char* what, const std::vector<std::unique_ptr<Shape>>& shapes, Tile& tile) {
  std::printf("%s %lld %lld %lld\n", what, static_cast<long long>(SumOf(shapes, 500)),
              static_cast<long long>(ThroughMembers(tile, 300)),
              static_cast<long long>(ThroughNamed(tile, 300)));
  for (const auto& shape : shapes) {
    Shape& each = *shape;
    std::printf("%d%d", typeid(each) == typeid(Square) ? 1 : 0,
                dynamic_cast<Named*>(&each) != nullptr ? 1 : 0);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>(3));
  shapes.push_back(std::make_unique<Tile>(2));
  shapes.push_back(std::make_unique<Line>());
  Tile tile(7);
  Print("first", shapes, tile);
  const pid_t child = fork();
  if (child == 0) {
    Print("child", shapes, tile);
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Print("parent", shapes, tile);
  return WEXITSTATUS(status);
}

// Ten functions, no iostream: a program so small that compiling lazily can hardly win.
#include <cstdio>
#include <cstring>

namespace {

struct Shape {
  virtual ~Shape() {}
  virtual int Sides() const { return 4; }
  virtual int Area() const = 0;
};

struct Square : Shape {
  explicit Square(int side) : side(side) {}
  int Area() const override { return side * side; }
  int side;
};

struct Rectangle : Shape {
  Rectangle(int width, int height) : width(width), height(height) {}
  int Area() const override { return width * height; }
  int width;
  int height;
};

[[gnu::noinline]] int Gcd(int a, int b) { return b == 0 ? a : Gcd(b, a % b); }

[[gnu::noinline]] unsigned Hash(const char* text) {
  unsigned hash = 2166136261u;
  for (size_t i = 0; i < std::strlen(text); ++i) hash = (hash ^ text[i]) * 16777619u;
  return hash;
}

[[gnu::noinline]] int Total(const Shape* const* shapes, int count) {
  int total = 0;
  for (int i = 0; i < count; ++i) total += shapes[i]->Area();
  return total;
}

}  // namespace

int main(int argc, char**) {
  const Square square(argc + 2);
  const Rectangle rectangle(argc + 3, argc + 4);
  const Shape* const shapes[] = {&square, &rectangle};
  std::printf("%d %d %u\n", Total(shapes, 2), Gcd(argc * 84, 36), Hash("firstcall"));
  return 0;
}

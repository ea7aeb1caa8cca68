// Virtual tables of distances, with several and with virtual bases. Found with compiler flags.
//
// flags: -fexperimental-relative-c++-abi-vtables -fno-rtti
#include <cstdio>

struct Shape {
  virtual int Area() { return 1; }
  virtual int Scaled(int factor) { return factor + 1; }
  virtual ~Shape() {}
};
struct Named {
  virtual int Length() { return 4; }
  virtual ~Named() {}
};
struct Square : virtual Shape {
  int Area() override { return 9; }
};
struct Circle : virtual Shape {
  int Scaled(int factor) override { return factor * 3; }
};
struct Both : Square, Circle, Named {
  int Area() override { return 25; }
  int Scaled(int factor) override { return factor * 7; }
  int Length() override { return 6; }
};

__attribute__((noinline)) static long Measure(Shape* shape, Named* named, int rounds) {
  long sum = 0;
  for (int round = 0; round < rounds; ++round) {
    sum += shape->Area() + shape->Scaled(round) + named->Length();
  }
  return sum;
}

int main() {
  Both both;
  Square square;
  Circle circle;
  Named named;
  long sum = 0;
  for (int round = 0; round < 200; ++round) {
    sum += Measure(&both, &both, 50) + Measure(&square, &named, 20) + Measure(&circle, &both, 10);
  }
  int (Shape::*member)(int) = &Shape::Scaled;
  Shape* shape = new Both;
  std::printf("%ld %d\n", sum, (shape->*member)(5));
  delete shape;
  return 0;
}

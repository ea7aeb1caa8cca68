#include "tests/foreign/foreign_functions.h"

#include <stdarg.h>

// Keeps apart what addition would mix up.
static uint64_t Mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x9E3779B97F4A7C15u; }

bool Not(bool a) { return !a; }
int8_t AddInt8(int8_t a, int8_t b) { return (int8_t)(a + b); }
uint8_t AddUint8(uint8_t a, uint8_t b) { return (uint8_t)(a + b); }
int16_t AddInt16(int16_t a, int16_t b) { return (int16_t)(a + b); }
uint16_t AddUint16(uint16_t a, uint16_t b) { return (uint16_t)(a + b); }
int32_t AddInt32(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
uint32_t AddUint32(uint32_t a, uint32_t b) { return a + b; }
int64_t AddInt64(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
uint64_t AddUint64(uint64_t a, uint64_t b) { return a + b; }

int64_t Widen(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int8_t g,
              uint8_t h, int16_t i, bool j) {
  uint64_t hash = Mix(Mix(Mix((uint64_t)a, b), (uint64_t)c), d);
  hash = Mix(Mix(Mix(Mix(hash, (uint64_t)e), f), (uint64_t)g), h);
  return (int64_t)Mix(Mix(hash, (uint64_t)i), j);
}

Int128 MulInt128(Int128 a, Int128 b) { return a * b; }

Int128 SpillInt128(int64_t a, Int128 b, int64_t c, int64_t d, int64_t e, int64_t f, Int128 g,
                   int8_t h, Int128 i) {
  return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + 17 * g + 19 * h + 23 * i;
}

float AddFloat(float a, float b) { return a + b; }
double AddDouble(double a, double b) { return a + b; }
void* Offset(char* a, int64_t b) { return (void*)((uintptr_t)a + (uint64_t)b); }
void StoreInt(int32_t* place, int32_t value) { *place = value; }

double ManyDoubles(double a, float b, double c, float d, double e, float f, double g, float h,
                   double i, float j, int32_t k) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k;
}

int64_t ManyLongs(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
                  int64_t h, int8_t i) {
  uint64_t hash = Mix(Mix(Mix((uint64_t)a, (uint64_t)b), (uint64_t)c), (uint64_t)d);
  hash = Mix(Mix(Mix(hash, (uint64_t)e), (uint64_t)f), (uint64_t)g);
  return (int64_t)Mix(Mix(hash, (uint64_t)h), (uint64_t)i);
}

Pair SwapPair(Pair a) { return (Pair){a.b, a.a}; }
Triple TurnTriple(Triple a, int32_t b) { return (Triple){a.b, a.c, a.a ^ b}; }
Floats2 SwapFloats2(Floats2 a) { return (Floats2){a.b, a.a}; }
Floats3 TurnFloats3(Floats3 a, float b) { return (Floats3){a.b, a.c + b, a.a}; }
Floats4 TurnFloats4(Floats4 a) { return (Floats4){a.b, a.c, a.d, a.a}; }
Floats5 TurnFloats5(Floats5 a, float b) { return (Floats5){a.b, a.c, a.d, a.e, a.a + b}; }
NestedFloats TurnNestedFloats(NestedFloats a, float b) {
  return (NestedFloats){{a.a.b, a.b + b}, a.a.a};
}
Doubles SwapDoubles(Doubles a) { return (Doubles){a.b, a.a}; }
LongThenDouble TurnLongDouble(DoubleThenLong a) { return (LongThenDouble){a.b, a.a}; }
DoubleThenLong TurnDoubleLong(LongThenDouble a) { return (DoubleThenLong){a.b, a.a}; }
Longs2 SwapLongs2(Longs2 a) { return (Longs2){a.b, a.a}; }
Longs3 TurnLongs3(Longs3 a, int64_t b) { return (Longs3){a.b, a.c, a.a ^ b}; }
Longs3 ChangeLongs3(Longs3 a, int64_t b) {
  a.a ^= b;
  a.c ^= a.a;
  return a;
}
Mixed TurnMixed(Mixed a) { return (Mixed){(int8_t)a.b, (uint16_t)a.a, -a.c}; }
Nested TurnNested(Nested a, int32_t b) { return (Nested){TurnMixed(a.a), a.b + b}; }
Single NextSingle(Single a) { return (Single){(uint8_t)(a.a + 1)}; }

int64_t SpillLongs2(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, Longs2 f, int64_t g) {
  return ManyLongs(a, b, c, d, e, f.a, f.b, g, 0);
}

int64_t SpillPair(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, Pair g,
                  int32_t h) {
  return ManyLongs(a, b, c, d, e, f, g.a, g.b, (int8_t)h);
}

int64_t SpillAfter7(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
                    Longs2 h, int64_t i, Longs3 j) {
  const int64_t sum = ManyLongs(a, b, c, d, e, f, g, h.a, 0);
  return ManyLongs(sum, h.b, i, j.a, j.b, j.c, 0, 0, 0);
}

int64_t SpillLongs3(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
                    Longs3 h, Longs3 i, Pair j) {
  const int64_t sum = ManyLongs(a, b, c, d, e, f, g, h.a, 0);
  return ManyLongs(sum, h.b, h.c, i.a, i.b, i.c, j.a, j.b, 0);
}

Int128 SpillAfter7Int128(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f,
                         int64_t g, Int128 h, int64_t i) {
  return h ^ ManyLongs(a, b, c, d, e, f, g, i, 0);
}

double SpillFloats2(Doubles a, Doubles b, Doubles c, double d, Doubles e, Floats2 f, double g) {
  return a.a + 2 * a.b + 3 * b.a + 4 * b.b + 5 * c.a + 6 * c.b + 7 * d + 8 * e.a + 9 * e.b +
         10 * f.a + 11 * f.b + 12 * g;
}

double SpillFloats3(Doubles a, Doubles b, Doubles c, Floats3 d, double e, float f, Floats4 g) {
  return a.a + 2 * a.b + 3 * b.a + 4 * b.b + 5 * c.a + 6 * c.b + 7 * d.a + 8 * d.b + 9 * d.c +
         10 * e + 11 * f + 12 * g.a + 13 * g.b + 14 * g.c + 15 * g.d;
}

double SumVariable(int32_t count, ...) {
  va_list list;
  va_start(list, count);
  double sum = 0;
  for (int32_t i = 1; i <= count; ++i) {
    sum += i * va_arg(list, int32_t);
    sum += i * va_arg(list, double);
  }
  va_end(list);
  return sum;
}

// Functions of many signatures, which the test calls natively and through libffi, and which an
// engine runs from bitcode. What they return depends on every bit of their arguments.

#ifndef FIRSTCALL_TESTS_FOREIGN_FOREIGN_FUNCTIONS_H_
#define FIRSTCALL_TESTS_FOREIGN_FOREIGN_FUNCTIONS_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef __int128 Int128;

typedef struct Pair {
  int32_t a, b;
} Pair;
typedef struct Triple {
  int32_t a, b, c;
} Triple;
typedef struct Floats2 {
  float a, b;
} Floats2;
typedef struct Floats3 {
  float a, b, c;
} Floats3;
typedef struct Floats4 {
  float a, b, c, d;
} Floats4;
typedef struct Floats5 {
  float a, b, c, d, e;
} Floats5;
typedef struct NestedFloats {
  Floats2 a;
  float b;
} NestedFloats;
typedef struct Doubles {
  double a, b;
} Doubles;
typedef struct LongThenDouble {
  int64_t a;
  double b;
} LongThenDouble;
typedef struct DoubleThenLong {
  double a;
  int64_t b;
} DoubleThenLong;
typedef struct Longs2 {
  int64_t a, b;
} Longs2;
typedef struct Longs3 {
  int64_t a, b, c;
} Longs3;
typedef struct Mixed {
  int8_t a;
  uint16_t b;
  float c;
} Mixed;
typedef struct Nested {
  Mixed a;
  double b;
} Nested;
typedef struct Single {
  uint8_t a;
} Single;

bool Not(bool a);
int8_t AddInt8(int8_t a, int8_t b);
uint8_t AddUint8(uint8_t a, uint8_t b);
int16_t AddInt16(int16_t a, int16_t b);
uint16_t AddUint16(uint16_t a, uint16_t b);
int32_t AddInt32(int32_t a, int32_t b);
uint32_t AddUint32(uint32_t a, uint32_t b);
int64_t AddInt64(int64_t a, int64_t b);
uint64_t AddUint64(uint64_t a, uint64_t b);
int64_t Widen(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int8_t g,
              uint8_t h, int16_t i, bool j);
Int128 MulInt128(Int128 a, Int128 b);
Int128 SpillInt128(int64_t a, Int128 b, int64_t c, int64_t d, int64_t e, int64_t f, Int128 g,
                   int8_t h, Int128 i);
float AddFloat(float a, float b);
double AddDouble(double a, double b);
void* Offset(char* a, int64_t b);
void StoreInt(int32_t* place, int32_t value);
double ManyDoubles(double a, float b, double c, float d, double e, float f, double g, float h,
                   double i, float j, int32_t k);
int64_t ManyLongs(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
                  int64_t h, int8_t i);

Pair SwapPair(Pair a);
Triple TurnTriple(Triple a, int32_t b);
Floats2 SwapFloats2(Floats2 a);
Floats3 TurnFloats3(Floats3 a, float b);
Floats4 TurnFloats4(Floats4 a);
Floats5 TurnFloats5(Floats5 a, float b);
NestedFloats TurnNestedFloats(NestedFloats a, float b);
Doubles SwapDoubles(Doubles a);
LongThenDouble TurnLongDouble(DoubleThenLong a);
DoubleThenLong TurnDoubleLong(LongThenDouble a);
Longs2 SwapLongs2(Longs2 a);
Longs3 TurnLongs3(Longs3 a, int64_t b);
Longs3 ChangeLongs3(Longs3 a, int64_t b);  // Changes its own copy.
Mixed TurnMixed(Mixed a);
Nested TurnNested(Nested a, int32_t b);
Single NextSingle(Single a);
int64_t SpillLongs2(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, Longs2 f, int64_t g);
int64_t SpillPair(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, Pair g,
                  int32_t h);
int64_t SpillAfter7(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
                    Longs2 h, int64_t i, Longs3 j);
int64_t SpillLongs3(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g,
                    Longs3 h, Longs3 i, Pair j);
Int128 SpillAfter7Int128(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f,
                         int64_t g, Int128 h, int64_t i);
double SpillFloats2(Doubles a, Doubles b, Doubles c, double d, Doubles e, Floats2 f, double g);
double SpillFloats3(Doubles a, Doubles b, Doubles c, Floats3 d, double e, float f, Floats4 g);

double SumVariable(int32_t count, ...);  // So many pairs of int32_t and double.

#ifdef __cplusplus
}
#endif

#endif  // FIRSTCALL_TESTS_FOREIGN_FOREIGN_FUNCTIONS_H_

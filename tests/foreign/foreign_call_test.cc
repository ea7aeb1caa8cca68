// Calls with values whose types are known at run time only: compared with the C++ compiler's own
// calls of the same functions, and with what the functions do natively. The bitcode is clang's, the
// native code GCC's (or that of whichever compiler builds the tests).

#include "foreign/foreign_call.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/foreign/foreign_functions.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

template <typename T>
struct TypeOf;
#define TYPE(type, kind)                                   \
  template <>                                              \
  struct TypeOf<type> {                                    \
    static ForeignType Get() { return ForeignKind::kind; } \
  }
TYPE(bool, kBool);
TYPE(int8_t, kInt8);
TYPE(uint8_t, kUint8);
TYPE(int16_t, kInt16);
TYPE(uint16_t, kUint16);
TYPE(int32_t, kInt32);
TYPE(uint32_t, kUint32);
TYPE(int64_t, kInt64);
TYPE(uint64_t, kUint64);
TYPE(Int128, kInt128);
TYPE(float, kFloat);
TYPE(double, kDouble);
TYPE(char*, kPointer);
TYPE(int32_t*, kPointer);
TYPE(void*, kPointer);
#undef TYPE

template <typename... Fields>
struct StructOf {
  static ForeignType Get() {
    return ForeignType(std::vector<ForeignType>{TypeOf<Fields>::Get()...});
  }
};
template <>
struct TypeOf<Pair> : StructOf<int32_t, int32_t> {};
template <>
struct TypeOf<Triple> : StructOf<int32_t, int32_t, int32_t> {};
template <>
struct TypeOf<Floats2> : StructOf<float, float> {};
template <>
struct TypeOf<Floats3> : StructOf<float, float, float> {};
template <>
struct TypeOf<Floats4> : StructOf<float, float, float, float> {};
template <>
struct TypeOf<Floats5> : StructOf<float, float, float, float, float> {};
template <>
struct TypeOf<NestedFloats> : StructOf<Floats2, float> {};
template <>
struct TypeOf<Doubles> : StructOf<double, double> {};
template <>
struct TypeOf<LongThenDouble> : StructOf<int64_t, double> {};
template <>
struct TypeOf<DoubleThenLong> : StructOf<double, int64_t> {};
template <>
struct TypeOf<Longs2> : StructOf<int64_t, int64_t> {};
template <>
struct TypeOf<Longs3> : StructOf<int64_t, int64_t, int64_t> {};
template <>
struct TypeOf<Mixed> : StructOf<int8_t, uint16_t, float> {};
template <>
struct TypeOf<Nested> : StructOf<Mixed, double> {};
template <>
struct TypeOf<Single> : StructOf<uint8_t> {};

template <typename T>
ForeignValue Value(T& value) {
  return {TypeOf<T>::Get(), &value};
}

std::mt19937_64 random_bits(1);

// Numbers that are exact in sums, so that the order of operations does not matter.
template <typename T>
void Fill(T& value) {
  value = static_cast<T>(random_bits());
}
void Fill(bool& value) { value = random_bits() % 2 != 0; }
void Fill(Int128& value) { value = (static_cast<Int128>(random_bits()) << 64) + random_bits(); }
void Fill(char*& value) { value = reinterpret_cast<char*>(random_bits() % (1ull << 40)); }
void Fill(float& value) { value = static_cast<float>(static_cast<int8_t>(random_bits())) / 4; }
void Fill(double& value) { value = static_cast<double>(static_cast<int32_t>(random_bits())) / 64; }
void Fill(Mixed& value);
void Fill(Floats2& value);
template <typename T>
void FillAB(T& value) {
  Fill(value.a);
  Fill(value.b);
}
template <typename T>
void FillABC(T& value) {
  FillAB(value);
  Fill(value.c);
}
void Fill(Pair& value) { FillAB(value); }
void Fill(Triple& value) { FillABC(value); }
void Fill(Floats2& value) { FillAB(value); }
void Fill(Floats3& value) { FillABC(value); }
void Fill(Floats4& value) {
  FillABC(value);
  Fill(value.d);
}
void Fill(Floats5& value) {
  FillABC(value);
  Fill(value.d);
  Fill(value.e);
}
void Fill(NestedFloats& value) { FillAB(value); }
void Fill(Doubles& value) { FillAB(value); }
void Fill(LongThenDouble& value) { FillAB(value); }
void Fill(DoubleThenLong& value) { FillAB(value); }
void Fill(Longs2& value) { FillAB(value); }
void Fill(Longs3& value) { FillABC(value); }
void Fill(Mixed& value) { FillABC(value); }
void Fill(Nested& value) { FillAB(value); }
void Fill(Single& value) { Fill(value.a); }

template <typename T>
std::string Print(const T& value) {
  T copy;
  std::memset(static_cast<void*>(&copy), 0, sizeof(copy));
  std::memcpy(static_cast<void*>(&copy), &value, sizeof(copy));
  std::string text;
  for (size_t i = 0; i < sizeof(copy); ++i) {
    absl::StrAppend(&text, absl::Hex(reinterpret_cast<const uint8_t*>(&copy)[i], absl::kZeroPad2),
                    " ");
  }
  return text;
}
// Without the padding.
std::string Print(const Mixed& value) { return Print(value.a) + Print(value.b) + Print(value.c); }
std::string Print(const Nested& value) { return Print(value.a) + Print(value.b); }

std::unique_ptr<Engine> MakeEngine(const std::string& file, Mode mode = Mode::kLazy) {
  EngineOptions options;
  options.mode = mode;
  std::unique_ptr<Engine> engine = Engine::Create(std::move(options)).value();
  std::ifstream stream(absl::StrCat("tests/foreign/", file), std::ios::binary);
  const std::string bitcode{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(engine->AddBitcode(bitcode, file), IsOk());
  return engine;
}

struct Bitcode {
  const char* file;
  Mode mode;
};

class ForeignCallTest : public testing::TestWithParam<Bitcode> {
 protected:
  template <typename Result, typename... Arguments>
  void Compare(const char* name, Result (*native)(Arguments...)) {
    SCOPED_TRACE(name);
    for (int i = 0; i < 20; ++i) {
      std::tuple<Arguments...> values;
      std::apply([](auto&... value) { (Fill(value), ...); }, values);
      const Result expected = std::apply(native, values);
      const std::vector<ForeignValue> arguments = std::apply(
          [](auto&... value) { return std::vector<ForeignValue>{Value(value)...}; }, values);
      Result actual;
      std::memset(static_cast<void*>(&actual), 0xA5, sizeof(actual));
      ASSERT_THAT(CallForeign(ExecutorAddress::Of(reinterpret_cast<void*>(native)), Value(actual),
                              arguments),
                  IsOk());
      ASSERT_EQ(Print(actual), Print(expected)) << "called by its address";
      std::memset(static_cast<void*>(&actual), 0x5A, sizeof(actual));
      ASSERT_THAT(engine_->Call(name, Value(actual), arguments), IsOk());
      ASSERT_EQ(Print(actual), Print(expected)) << "called in the engine";
    }
  }

  std::unique_ptr<Engine> engine_ = MakeEngine(GetParam().file, GetParam().mode);
};

INSTANTIATE_TEST_SUITE_P(Bitcode, ForeignCallTest,
                         testing::Values(Bitcode{"foreign_functions.O0.bc", Mode::kLazy},
                                         Bitcode{"foreign_functions.O2.bc", Mode::kLazy},
                                         Bitcode{"foreign_functions.O2.bc", Mode::kEager}));

#define COMPARE(function) Compare(#function, &function)

TEST_P(ForeignCallTest, Scalars) {
  COMPARE(Not);
  COMPARE(AddInt8);
  COMPARE(AddUint8);
  COMPARE(AddInt16);
  COMPARE(AddUint16);
  COMPARE(AddInt32);
  COMPARE(AddUint32);
  COMPARE(AddInt64);
  COMPARE(AddUint64);
  COMPARE(AddFloat);
  COMPARE(AddDouble);
  COMPARE(Offset);
}

TEST_P(ForeignCallTest, NarrowIntegersAreExtended) { COMPARE(Widen); }

TEST_P(ForeignCallTest, Integers128) {
  COMPARE(MulInt128);
  COMPARE(SpillInt128);
#if defined(__aarch64__)
  COMPARE(SpillAfter7Int128);
#endif
}

TEST_P(ForeignCallTest, MoreArgumentsThanRegisters) {
  COMPARE(ManyDoubles);
  COMPARE(ManyLongs);
}

TEST_P(ForeignCallTest, Structs) {
  COMPARE(SwapPair);
  COMPARE(TurnTriple);
  COMPARE(SwapFloats2);
  COMPARE(TurnFloats3);
  COMPARE(TurnFloats4);
  COMPARE(TurnFloats5);
  COMPARE(TurnNestedFloats);
  COMPARE(SwapDoubles);
  COMPARE(TurnLongDouble);
  COMPARE(TurnDoubleLong);
  COMPARE(SwapLongs2);
  COMPARE(TurnLongs3);
  COMPARE(ChangeLongs3);
  COMPARE(TurnMixed);
  COMPARE(TurnNested);
  COMPARE(NextSingle);
}

TEST_P(ForeignCallTest, StructsBeyondTheRegisters) {
  COMPARE(SpillLongs2);
  COMPARE(SpillAfter7);
  COMPARE(SpillLongs3);
  COMPARE(SpillPair);
  COMPARE(SpillFloats2);
  COMPARE(SpillFloats3);
}

TEST_P(ForeignCallTest, NothingIsReturned) {
  int32_t place = 0;
  int32_t* pointer = &place;
  int32_t value = 7;
  EXPECT_THAT(engine_->Call("StoreInt", {}, {Value(pointer), Value(value)}), IsOk());
  EXPECT_EQ(place, 7);
}

TEST_P(ForeignCallTest, VariableArguments) {
  int32_t count = 3;
  int32_t integers[] = {5, -6, 7};
  double doubles[] = {0.5, 0.25, -8};
  const double expected =
      SumVariable(count, integers[0], doubles[0], integers[1], doubles[1], integers[2], doubles[2]);
  std::vector<ForeignValue> arguments = {Value(count)};
  for (int i = 0; i < 3; ++i) {
    arguments.push_back(Value(integers[i]));
    arguments.push_back(Value(doubles[i]));
  }
  double result = 0;
  ASSERT_THAT(engine_->Call("SumVariable", Value(result), arguments), IsOk());
  EXPECT_EQ(result, expected);
  float narrow = 1;
  arguments.back() = Value(narrow);
  EXPECT_THAT(engine_->Call("SumVariable", Value(result), arguments),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "calling 'SumVariable': argument 7 is a variable one and float, which C "
                       "passes as double or int"));
}

TEST_P(ForeignCallTest, OnlyVariableArguments) {
  ASSERT_THAT(engine_->AddAssembly("define i32 @any(...) { ret i32 7 }", "any"), IsOk());
  int32_t i = 0;
  double d = 1;
  ASSERT_THAT(engine_->Call("any", Value(i), {}), IsOk());
  EXPECT_EQ(i, 7);
  ASSERT_THAT(engine_->Call("any", Value(i), {Value(d), Value(i)}), IsOk());
}

// A struct's result may also be asked for as what it is in IR.
TEST_P(ForeignCallTest, AddressOfAResultInMemory) {
  Longs3 argument = {1, 2, 3};
  int64_t more = 4;
  Longs3 result = {};
  void* place = &result;
  EXPECT_THAT(engine_->Call("TurnLongs3", {}, {Value(place), Value(argument), Value(more)}),
              IsOk());
  EXPECT_EQ(Print(result), Print(TurnLongs3(argument, more)));
}

TEST_P(ForeignCallTest, MismatchesAreRefused) {
  int32_t i = 1;
  int64_t l = 1;
  float f = 1;
  double d = 1;
  Pair pair = {};
  Longs3 longs = {};
  struct Mismatch {
    const char* function;
    ForeignValue result;
    std::vector<ForeignValue> arguments;
    const char* message;
  };
  const Mismatch mismatches[] = {
      {"AddInt32",
       Value(i),
       {Value(i)},
       "1 arguments are given, but the function takes 2: i32 is next"},
      {"AddInt32", Value(i), {}, "0 arguments are given, but the function takes 2: i32 is next"},
      {"AddInt32",
       Value(i),
       {Value(i), Value(i), Value(i)},
       "3 arguments are given, but the function takes 2"},
      {"AddInt32",
       Value(i),
       {Value(i), Value(l)},
       "argument 2 is int64, but the function takes i32"},
      {"AddInt32",
       Value(i),
       {Value(f), Value(i)},
       "argument 1 is float, but the function takes i32"},
      {"AddInt32",
       Value(i),
       {Value(pair), Value(i)},
       "argument 1 is struct {int32, int32}, but the function takes i32"},
      {"AddInt32",
       Value(l),
       {Value(i), Value(i)},
       "the result is asked for as int64, but the function returns i32"},
      {"AddInt32",
       {},
       {Value(i), Value(i)},
       "the result is asked for as void, but the function returns i32"},
      {"AddDouble",
       Value(d),
       {Value(d), Value(f)},
       "argument 2 is float, but the function takes double"},
      {"TurnLongs3",
       Value(pair),
       {Value(longs), Value(l)},
       "the result is asked for as struct {int32, int32}"},
      {"TurnLongs3",
       Value(longs),
       {Value(pair), Value(l)},
       "argument 1 is struct {int32, int32}, but the function takes ptr"},
      {"TurnLongs3",
       {},
       {Value(longs), Value(l)},
       "the function returns a struct through ptr sret("},
      {"SwapDoubles",
       Value(pair),
       {Value(pair)},
       "the result is asked for as struct {int32, int32}, but the function returns double, double"},
      {"StoreInt", Value(i), {}, "but the function returns void"},
  };
  for (const Mismatch& mismatch : mismatches) {
    const absl::Status status =
        engine_->Call(mismatch.function, mismatch.result, mismatch.arguments);
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                                 HasSubstr(absl::StrCat("calling '", mismatch.function, "': "))));
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(mismatch.message)));
  }
}

// A finished module's IR is gone, but not what was learned from it.
TEST(ForeignCallOfTextTest, ChecksAfterTheModuleIsCompiled) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  ASSERT_THAT(engine->AddAssembly("define i32 @one(i32 %x) { ret i32 1 }", "m"), IsOk());
  int32_t i = 5;
  int64_t l = 5;
  ASSERT_THAT(engine->Call("one", Value(i), {Value(i)}), IsOk());
  EXPECT_EQ(i, 1);
  EXPECT_THAT(engine->Call("one", Value(i), {Value(l)}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ForeignCallOfTextTest, BitcodeIsReadAgain) {
  std::unique_ptr<Engine> engine = MakeEngine("foreign_functions.O2.bc");
  ASSERT_THAT(engine->PrepareAll(), IsOk());
  int32_t i = 5;
  int64_t l = 5;
  EXPECT_THAT(engine->Call("AddInt32", Value(i), {Value(i), Value(l)}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  ASSERT_THAT(engine->Call("AddInt32", Value(i), {Value(i), Value(i)}), IsOk());
  EXPECT_EQ(i, 10);
}

TEST(ForeignCallOfTextTest, OddIntegersAliasesAndIfuncs) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  ASSERT_THAT(engine->AddAssembly(R"(
    define i24 @odd(i24 %x, i7 signext %y) {
      %w = sext i7 %y to i24
      %r = add i24 %x, %w
      ret i24 %r
    }
    @alias = alias i24 (i24, i7), ptr @odd
    @ifunc = ifunc i24 (i24, i7), ptr @resolve
    define ptr @resolve() { ret ptr @odd }
    @variable = global i32 1
  )",
                                  "m"),
              IsOk());
  int32_t x = 0x01000002;  // The callee does not see the upper byte.
  int8_t y = -5;
  int32_t result = 0;
  for (const char* name : {"odd", "alias", "ifunc"}) {
    ASSERT_THAT(engine->Call(name, Value(result), {Value(x), Value(y)}), IsOk()) << name;
    EXPECT_EQ(result, -3) << name;
    uint32_t bits = 0;
    ASSERT_THAT(engine->Call(name, Value(bits), {Value(x), Value(y)}), IsOk()) << name;
    EXPECT_EQ(bits, 0xFFFFFDu) << name;
  }
  EXPECT_THAT(engine->Call("variable", Value(result), {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "calling 'variable': 'variable' is not a function"));
  EXPECT_THAT(engine->Call("nobody", Value(result), {}),
              StatusIs(absl::StatusCode::kNotFound, "calling 'nobody': no module defines it"));
}

TEST(ForeignCallOfTextTest, WhatCDoesNotCallIsUnimplemented) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  ASSERT_THAT(engine->AddAssembly(R"(
    define fastcc i32 @fast(i32 %x) { ret i32 %x }
    define i32 @nest(ptr nest %x) { ret i32 1 }
    define i32 @small(ptr byval({i32, i32}) %x) { ret i32 1 }
    define i32 @vector(<4 x i32> %x) { ret i32 1 }
    define i64 @split(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g) { ret i64 %g }
    define i64 @split9(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i) {
      ret i64 %i
    }
    define i64 @array([3 x i64] %a) { ret i64 0 }
    define i128 @one_left(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i128 %f) { ret i128 %f }
    define {i64, i64, i64} @three() { ret {i64, i64, i64} zeroinitializer }
    define i32 @aligned(ptr byval({i64, i64, i64}) align 32 %x) { ret i32 1 }
    define {i32, i32} @two() { ret {i32, i32} zeroinitializer }
  )",
                                  "m"),
              IsOk());
  int32_t i = 1;
  int64_t l = 1;
  void* pointer = &i;
  Pair pair = {};
  Longs2 longs = {};
  Longs3 longs3 = {};
  constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(engine->Call("fast", Value(i), {Value(i)}),
              StatusIs(kUnimplemented, HasSubstr("calling convention is LLVM's number 8")));
  EXPECT_THAT(engine->Call("nest", Value(i), {Value(pointer)}),
              StatusIs(kUnimplemented, HasSubstr("its parameter 1 is nest")));
  EXPECT_THAT(engine->Call("small", Value(i), {Value(pair)}),
              StatusIs(kUnimplemented, HasSubstr("in registers")));
  EXPECT_THAT(engine->Call("vector", Value(i), {Value(l)}),
              StatusIs(kInvalid, HasSubstr("but the function takes <4 x i32>")));
#if defined(__aarch64__)
  EXPECT_THAT(engine->Call("split9", Value(l),
                           {Value(l), Value(l), Value(l), Value(l), Value(l), Value(l), Value(l),
                            Value(longs)}),
              StatusIs(kUnimplemented, HasSubstr("in memory")));
  EXPECT_THAT(engine->Call("array", Value(l), {Value(longs), Value(l)}),
              StatusIs(kInvalid, HasSubstr("argument 1 is struct {int64, int64}")));
  EXPECT_THAT(engine->Call("array", Value(l), {Value(l), Value(longs)}),
              StatusIs(kInvalid, HasSubstr("argument 1 is int64")));
  EXPECT_THAT(engine->Call("aligned", Value(i), {Value(longs3)}),
              StatusIs(kUnimplemented, HasSubstr("by its address")));
#else
  EXPECT_THAT(engine->Call("split", Value(l),
                           {Value(l), Value(l), Value(l), Value(l), Value(l), Value(longs)}),
              StatusIs(kUnimplemented, HasSubstr("in memory")));
  Int128 wide = 1;
  EXPECT_THAT(engine->Call("one_left", Value(wide),
                           {Value(l), Value(l), Value(l), Value(l), Value(l), Value(wide)}),
              StatusIs(kUnimplemented, HasSubstr("argument 6 is int128 where one register")));
  EXPECT_THAT(engine->Call("aligned", Value(i), {Value(longs3)}),
              StatusIs(kUnimplemented, HasSubstr("aligned to 32")));
#endif
  EXPECT_THAT(engine->Call("three", Value(longs3), {}),
              StatusIs(kInvalid, HasSubstr("returns i64, i64, i64")));
  EXPECT_THAT(engine->Call("two", Value(pair), {}),
              StatusIs(kInvalid, HasSubstr("returns i32, i32")));
}

TEST(ForeignCallOfTextTest, WhatIsNoValueIsRefused) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  ASSERT_THAT(engine->AddAssembly("define i32 @one(i32 %x) { ret i32 1 }", "m"), IsOk());
  int32_t i = 1;
  Int128 wide = 1;
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  const auto call = [&](const ForeignValue& argument) {
    return engine->Call("one", Value(i), {argument});
  };
  EXPECT_THAT(call({}), StatusIs(kInvalid, "calling 'one': argument 1: it is void"));
  EXPECT_THAT(call({ForeignKind::kInt32, nullptr}), StatusIs(kInvalid, HasSubstr("no place")));
  EXPECT_THAT(call({ForeignType(std::vector<ForeignType>()), &i}),
              StatusIs(kInvalid, HasSubstr("no fields")));
  EXPECT_THAT(call({ForeignType(std::vector<ForeignType>{ForeignKind::kVoid}), &i}),
              StatusIs(kInvalid, HasSubstr("void in it")));
  EXPECT_THAT(call({ForeignType(std::vector<ForeignType>{ForeignKind::kInt128}), &wide}),
              StatusIs(kInvalid, HasSubstr("128-bit integer in it")));
  EXPECT_THAT(call({static_cast<ForeignKind>(77), &i}),
              StatusIs(kInvalid, HasSubstr("there is no type 77")));
}

TEST(ForeignCallOfTextTest, CompileFailuresAreReturned) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  ASSERT_THAT(
      engine->AddAssembly(
          "declare void @nowhere() define void @f() { call void @nowhere() ret void }", "m"),
      IsOk());
  EXPECT_THAT(engine->Call("f", {}, {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("nowhere")));
}

extern "C" void firstcall_test_throw() { throw std::runtime_error("from the host"); }

TEST(ForeignCallOfTextTest, ExceptionsGoToTheCaller) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  ASSERT_THAT(engine->AddAssembly("declare void @firstcall_test_throw()"
                                  "define void @f() uwtable {"
                                  "  call void @firstcall_test_throw() ret void }",
                                  "m"),
              IsOk());
  for (int i = 0; i < 2; ++i) EXPECT_THROW((void)engine->Call("f", {}, {}), std::runtime_error);
}

TEST(ForeignCallOfTextTest, RemovedFunctionsAreNotCalled) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  int32_t i = 0;
  int64_t l = 0;
  const ModuleId id = engine->AddAssembly("define i32 @f() { ret i32 1 }", "m").value();
  EXPECT_THAT(engine->Call("f", Value(i), {}), IsOk());
  ASSERT_THAT(engine->Remove(id), IsOk());
  EXPECT_THAT(engine->Call("f", Value(i), {}), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_THAT(engine->AddAssembly("define i64 @f() { ret i64 2 }", "m"), IsOk());
  EXPECT_THAT(engine->Call("f", Value(l), {}), IsOk());
  EXPECT_EQ(l, 2);
}

}  // namespace
}  // namespace firstcall

// Calls closures by compiled code, by C++, and by CallForeign, whose values must arrive unchanged.

#include "foreign/foreign_closure.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "foreign/argument_registers.h"
#include "foreign/foreign_call.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using Kind = ForeignKind;

template <typename T>
T Get(const ForeignValue& value) {
  T result;
  std::memcpy(&result, value.bytes, sizeof(T));
  return result;
}

template <typename T>
void Set(const ForeignValue& value, T result) {
  std::memcpy(value.bytes, &result, sizeof(T));
}

TEST(ForeignClosureTest, CompiledCodeCallsIt) {
  std::vector<std::string> seen;
  ASSERT_OK_AND_ASSIGN(
      auto closure,
      ForeignClosure::Create(
          Kind::kInt8, {Kind::kInt8, Kind::kBool, Kind::kUint16, Kind::kDouble, Kind::kFloat},
          [&](absl::Span<const ForeignValue> arguments, const ForeignValue& result) {
            seen.push_back(absl::StrCat(Get<int8_t>(arguments[0]), " ", Get<uint8_t>(arguments[1]),
                                        " ", Get<uint16_t>(arguments[2]), " ",
                                        Get<double>(arguments[3]), " ", Get<float>(arguments[4])));
            Set<int8_t>(result, -7);
          }));
  EngineOptions options;
  options.symbol_finder = [&](absl::string_view name) {
    return name == "host" ? closure->address().InThisProcess<void*>() : nullptr;
  };
  ASSERT_OK_AND_ASSIGN(auto engine, Engine::Create(options));
  // Without signext or zeroext, the upper bits of the registers hold anything.
  ASSERT_THAT(engine->AddAssembly(R"(
    declare signext i8 @host(i8, i1, i16, double, float)
    define i32 @f(i32 %x) {
      %a = trunc i32 %x to i8
      %b = trunc i32 %x to i1
      %c = trunc i32 %x to i16
      %r = call signext i8 @host(i8 %a, i1 %b, i16 %c, double 2.5, float 0.5)
      %e = sext i8 %r to i32
      ret i32 %e
    })",
                                  "calls"),
              IsOk());
  ASSERT_OK_AND_ASSIGN(auto* f, engine->Lookup<int32_t(int32_t)>("f"));
  EXPECT_EQ(f(0x12348fff), -7);
  EXPECT_EQ(f(0x12348ffe), -7);
  EXPECT_THAT(seen, ::testing::ElementsAre("-1 1 36863 2.5 0.5", "-2 0 36862 2.5 0.5"));
}

TEST(ForeignClosureTest, MoreArgumentsThanRegisters) {
  std::vector<ForeignType> types;
  for (int i = 0; i < 12; ++i) types.push_back(i % 3 == 2 ? Kind::kDouble : Kind::kInt32);
  ASSERT_OK_AND_ASSIGN(
      auto closure, ForeignClosure::Create(
                        Kind::kInt64, types,
                        [](absl::Span<const ForeignValue> arguments, const ForeignValue& result) {
                          int64_t sum = 0;
                          for (size_t i = 0; i < arguments.size(); ++i) {
                            const auto weight = static_cast<int64_t>(i + 1);
                            sum += weight * (i % 3 == 2
                                                 ? static_cast<int64_t>(Get<double>(arguments[i]))
                                                 : Get<int32_t>(arguments[i]));
                          }
                          Set<int64_t>(result, sum);
                        }));
  using Function =
      int64_t (*)(int, int, double, int, int, double, int, int, double, int, int, double);
  const auto f = closure->address().InThisProcess<Function>();
  EXPECT_EQ(f(-1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -11, 12),
            -1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 + 81 + 100 - 121 + 144);
}

TEST(ForeignClosureTest, StructsOfEachSize) {
  if (!kPassesStructs) GTEST_SKIP() << "structs are not passed on this architecture";
  struct Small {
    int8_t a;
    float b;
  };
  struct Large {
    int64_t a;
    double b;
    int64_t c;
  };
  const ForeignType small({Kind::kInt8, Kind::kFloat});
  const ForeignType large({Kind::kInt64, Kind::kDouble, Kind::kInt64});
  ASSERT_OK_AND_ASSIGN(
      auto closure, ForeignClosure::Create(
                        large, {small, large},
                        [](absl::Span<const ForeignValue> arguments, const ForeignValue& result) {
                          const auto first = Get<Small>(arguments[0]);
                          auto second = Get<Large>(arguments[1]);
                          second.a += first.a;
                          second.b += first.b;
                          Set(result, second);
                        }));
  const auto f = closure->address().InThisProcess<Large (*)(Small, Large)>();
  const Large result = f({-3, 0.25f}, {10, 1.5, 77});
  EXPECT_EQ(result.a, 7);
  EXPECT_EQ(result.b, 1.75);
  EXPECT_EQ(result.c, 77);
}

TEST(ForeignClosureTest, ReturnsNothing) {
  int calls = 0;
  ASSERT_OK_AND_ASSIGN(
      auto closure, ForeignClosure::Create(
                        Kind::kVoid, {},
                        [&](absl::Span<const ForeignValue> arguments, const ForeignValue& result) {
                          EXPECT_TRUE(arguments.empty());
                          EXPECT_EQ(result.bytes, nullptr);
                          ++calls;
                        }));
  closure->address().InThisProcess<void (*)()>()();
  EXPECT_EQ(calls, 1);
}

TEST(ForeignClosureTest, RefusesTypesThatCannotBePassed) {
  const auto nothing = [](absl::Span<const ForeignValue>, const ForeignValue&) {};
  EXPECT_THAT(ForeignClosure::Create(Kind::kInt32, {Kind::kInt32, Kind::kVoid}, nothing),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("argument 2")));
  EXPECT_THAT(ForeignClosure::Create(Kind::kInt128, {}, nothing),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("128-bit")));
  EXPECT_THAT(ForeignClosure::Create(Kind::kVoid, {Kind::kInt128}, nothing),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("128-bit")));
}

}  // namespace
}  // namespace firstcall

// Also tests type_name.

#include "direct/function_shape_reader.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compiler/function_shape_reader.h"
#include "foreign/function_shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Module.h"
#include "tests/direct/read_both_ways.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using ::testing::HasSubstr;

std::string TextOf(const std::vector<FunctionShape::Slot>& slots) {
  std::string text;
  for (const FunctionShape::Slot& slot : slots) {
    absl::StrAppend(&text, slot.begins_parameter ? "| " : "", slot.name, " kind ",
                    static_cast<int>(slot.kind), " bits ", slot.integer.bits, " extended ",
                    static_cast<int>(slot.integer.extension), " bytes ", slot.bytes, " aligned ",
                    slot.alignment, " array ", slot.array, "; ");
  }
  return text;
}

std::string TextOf(const absl::StatusOr<FunctionShape>& shape) {
  if (!shape.ok()) return shape.status().ToString();
  const FunctionShape::Signature& signature = shape->signature();
  return absl::StrCat(TextOf(signature.parameters), "-> ", TextOf(signature.results),
                      signature.has_hidden_result, signature.is_variadic);
}

// The answer for each global of the module is LLVM's.
void ExpectSameShapes(absl::string_view text) {
  ReadBothWays read(text);
  ASSERT_TRUE(read.ok());
  for (uint32_t number = 0; number < read.module().globals().size(); ++number) {
    const std::string name = read.NameOf(number);
    EXPECT_EQ(TextOf(ReadFunctionShape(read.module(), number)),
              TextOf(firstcall::ReadFunctionShape(*read.view().module().getNamedValue(name))))
        << name;
  }
}

TEST(FunctionShapeReaderTest, ReadsParametersAndResults) {
  ExpectSameShapes(R"(
    %named = type { i32, [2 x { float, i8 }] }
    declare void @nothing()
    declare zeroext i8 @small(i8 signext, i16 zeroext, i1)
    declare double @numbers(float, double, x86_fp80, half, i128, ptr, ptr addrspace(1))
    declare { i64, double } @pair([2 x i64], <2 x float>, <4 x float>, <8 x i1>)
    declare %named @flat(%named, {}, [0 x i32])
    declare i32 @variadic(ptr, ...)
    declare void @memory(ptr sret({ i64, <{ i8, i32 }>, {} }), ptr byval([3 x i64]) align 16)
    @alias = alias void (), ptr @defined
    @chosen = ifunc i32 (i32), ptr @resolver
    define void @defined() { ret void }
    define ptr @resolver() { ret ptr null })");
}

TEST(FunctionShapeReaderTest, SaysWhatCannotBeCalled) {
  ExpectSameShapes(R"(
    @variable = global i32 1
    @part = alias i32, ptr @variable
    declare fastcc void @fast()
    declare void @nested(i32, ptr nest)
    declare void @in_register(i32 inreg)
    declare void @late(i32, ptr sret(i32)))");
}

TEST(FunctionShapeReaderTest, RefusesWhatHasNoNameOrNoEnd) {
  ReadBothWays read(R"(
    %named = type { i32 }
    declare void @named(ptr byval(%named))
    declare void @long([100000 x i32])
    declare void @empty([100000 x [100000 x {}]]))");
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(ReadFunctionShape(read.module(), read.NumberOf("named")),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("how function 'named' is called: the name of a type")));
  EXPECT_THAT(ReadFunctionShape(read.module(), read.NumberOf("long")),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("it has too many parts")));
  EXPECT_THAT(ReadFunctionShape(read.module(), read.NumberOf("empty")), IsOk());
}

}  // namespace
}  // namespace firstcall::direct

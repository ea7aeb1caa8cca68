#include "direct/address_use.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/direct/read_both_ways.h"

namespace firstcall::direct {
namespace {

using Kind = AddressUse::Kind;

// How @f, with `code`, uses the address of @v. @data, if there is such a variable, is of the same
// module as @f.
Kind UseOf(absl::string_view code, absl::string_view globals = "") {
  ReadBothWays read(
      absl::StrCat("@v = internal global [4 x i32] zeroinitializer\n@w = global i32 0\n", globals,
                   "\ndeclare void @use(ptr)\ndefine void @f(ptr %p) {\n", code, "\nret void\n}"));
  if (!read.ok()) return Kind::kNone;
  std::vector<ir::Operand> initializers;
  const uint32_t data = read.NumberOf("data");
  if (data != ir::kNone) initializers.push_back(read.module().globals()[data].initializer);
  return AddressUse(read.Body("f"), std::move(initializers)).Of(read.NumberOf("v"));
}

TEST(AddressUseTest, OtherAddressesAreNoUse) {
  EXPECT_EQ(UseOf("call void @use(ptr @w)"), Kind::kNone);
  EXPECT_EQ(UseOf("%x = extractvalue [1 x ptr] [ptr @w], 0"), Kind::kNone);
  EXPECT_EQ(UseOf("", "define void @g() { call void @use(ptr @v) ret void }"), Kind::kNone);
}

TEST(AddressUseTest, InstructionsUseAddressesDirectlyAndInExpressions) {
  EXPECT_EQ(UseOf("call void @use(ptr @v)"), Kind::kByInstructions);
  EXPECT_EQ(UseOf("store i32 1, ptr @v"), Kind::kByInstructions);
  EXPECT_EQ(UseOf("store i64 ptrtoint (ptr getelementptr (i8, ptr @v, i64 4) to i64), ptr %p"),
            Kind::kByInstructions);
  EXPECT_EQ(UseOf("call void @use(ptr @v)", "define ptr @g() { ret ptr @v }"),
            Kind::kByInstructions);
}

TEST(AddressUseTest, OtherConstantsAreData) {
  EXPECT_EQ(UseOf("store [1 x ptr] [ptr @v], ptr %p"), Kind::kByData);
  EXPECT_EQ(UseOf("store [1 x ptr] [ptr getelementptr (i8, ptr @v, i64 4)], ptr %p"),
            Kind::kByData);
  EXPECT_EQ(UseOf("call void @use(ptr @v)\n"
                  "store { i8, [1 x i64] } { i8 1, [1 x i64] [i64 ptrtoint (ptr @v to i64)] }, "
                  "ptr %p"),
            Kind::kByData);
  EXPECT_EQ(UseOf("call void @use(ptr @v)", "@data = global ptr @v"), Kind::kByData);
  EXPECT_EQ(UseOf("call void @use(ptr @v)",
                  "@data = global { i8, [1 x ptr] } { i8 1, [1 x ptr] "
                  "[ptr getelementptr (i8, ptr @v, i64 4)] }"),
            Kind::kByData);
}

// Such as the lists of AddressSanitizer: they find the variable by its name.
TEST(AddressUseTest, DataOfOtherModulesIsNoUse) {
  EXPECT_EQ(UseOf("call void @use(ptr @v)", "@elsewhere = global ptr @v"), Kind::kByInstructions);
  EXPECT_EQ(UseOf("", "@elsewhere = global ptr @v"), Kind::kNone);
}

}  // namespace
}  // namespace firstcall::direct

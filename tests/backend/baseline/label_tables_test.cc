// Tables of labels, which become a part of their function's code.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/backend/baseline/expect_same.h"

namespace firstcall {
namespace {

// A function that branches to the block whose address lies at FIRST + 8 * (i & 1) of @table, and
// adds the last eight bytes of the table to the result.
void ExpectSameBranches(const std::string& type, const std::string& table, const std::string& first,
                        const std::string& attributes = "") {
  ExpectSame(absl::StrReplaceAll(
      absl::StrCat("@other = global i64 7\n@table = internal constant TYPE TABLE",
                   attributes.empty() ? "" : ", ", attributes, R"(
define i64 @f(i64 %i, i64 %j) {
  %bit = and i64 %i, 1
  %p = getelementptr i8, ptr @table, i64 FIRST
  %q = getelementptr ptr, ptr %p, i64 %bit
  %label = load ptr, ptr %q
  %end = getelementptr TYPE, ptr @table, i64 1
  %e = getelementptr i64, ptr %end, i64 -1
  %last = load i64, ptr %e
  %address = ptrtoint ptr @table to i64
  %low = and i64 %address, 31
  indirectbr ptr %label, [label %add, label %twice]
add:
  %sum = add i64 %j, 5
  br label %done
twice:
  %double = mul i64 %j, 2
  br label %done
done:
  %r = phi i64 [ %sum, %add ], [ %double, %twice ]
  %s = add i64 %r, %last
  %t = add i64 %s, %low
  ret i64 %t
}
)"),
      {{"TYPE", type}, {"TABLE", table}, {"FIRST", first}}));
}

constexpr char kLabels[] = "[2 x ptr] [ptr blockaddress(@f, %add), ptr blockaddress(@f, %twice)]";

TEST(LabelTablesTest, MayHaveARedZone) {
  ExpectSameBranches("{ [2 x ptr], [32 x i8] }",
                     absl::StrCat("{ ", kLabels, ", [32 x i8] zeroinitializer }"), "0", "align 32");
}

TEST(LabelTablesTest, MayHaveNumbersAmongLabels) {
  ExpectSameBranches("<{ i16, [2 x ptr], double, { i64 } }>",
                     absl::StrCat("<{ i16 3, ", kLabels, ", double 2.5, { i64 } { i64 11 } }>"),
                     "2", "align 32");
}

TEST(LabelTablesTest, MayHaveLabelsAtSeveralPlaces) {
  ExpectSameBranches(
      "{ i64, [2 x { [1 x ptr] }], { ptr, i64 } }",
      "{ i64 1, [2 x { [1 x ptr] }] [{ [1 x ptr] } { [1 x ptr] [ptr blockaddress(@f, "
      "%add)] }, { [1 x ptr] } { [1 x ptr] [ptr blockaddress(@f, %twice)] }], "
      "{ ptr, i64 } { ptr @other, i64 9 } }",
      "8", "align 32");
}

}  // namespace
}  // namespace firstcall

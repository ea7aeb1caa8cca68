#include "direct/entry_point_reader.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/entry_point_reader.h"
#include "gtest/gtest.h"
#include "llvm/IR/Module.h"
#include "seam/entry_point.h"
#include "tests/direct/read_both_ways.h"

namespace firstcall::direct {
namespace {

std::string TextOf(const absl::StatusOr<EntryPoint>& entry) {
  return entry.ok() ? entry->Encode() : entry.status().ToString();
}

// The answer for @f, which is LLVM's, too.
std::string Answer(absl::string_view text) {
  ReadBothWays read(text);
  if (!read.ok()) return "not read";
  const std::string answer = TextOf(ReadEntryPoint(read.module(), read.NumberOf("f")));
  EXPECT_EQ(answer, TextOf(firstcall::ReadEntryPoint(*read.view().module().getNamedValue("f"))));
  return answer;
}

TEST(EntryPointReaderTest, TakesWhatMainTakes) {
  EXPECT_EQ(Answer("define i32 @f() { ret i32 0 }"), "i");
  EXPECT_EQ(Answer("define void @f(i32 %n, ptr %a, ptr %e) { ret void }"), "v");
  EXPECT_EQ(Answer("declare i8 @f(i32, ptr)"), "i");
}

TEST(EntryPointReaderTest, SaysWhatIsWrong) {
  EXPECT_EQ(Answer("@f = global i32 1"), "INVALID_ARGUMENT: entry function 'f' is not a function");
  EXPECT_EQ(Answer("declare i32 @f(i64)"),
            "INVALID_ARGUMENT: entry function 'f' cannot be called as main: its first argument is "
            "not an i32");
  EXPECT_EQ(Answer("declare i32 @f(i32, ptr, i32)"),
            "INVALID_ARGUMENT: entry function 'f' cannot be called as main: its argument 3 is not "
            "a pointer");
  Answer("declare i64 @f()");
  Answer("declare i32 @f(...)");
  Answer("declare i32 @f(i32, ptr, ptr, ptr)");
}

}  // namespace
}  // namespace firstcall::direct

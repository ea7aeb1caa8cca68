#include "base/module_contents.h"

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using Form = ModuleContents::Form;

absl::StatusOr<ModuleContents> Read(const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "/module";
  std::ofstream(path, std::ios::binary) << bytes;
  return ModuleContents::Read(path);
}

TEST(ModuleContentsTest, KnowsBitcodeAndText) {
  ASSERT_OK_AND_ASSIGN(ModuleContents bitcode,
                       Read(ParseToBitcode("define void @f() { ret void }")));
  EXPECT_EQ(bitcode.form, Form::kBitcode);
  EXPECT_EQ(bitcode.name, ::testing::TempDir() + "/module");
  ASSERT_OK_AND_ASSIGN(ModuleContents wrapped, Read(std::string("\xde\xc0\x17\x0b\0\0\0\0", 8)));
  EXPECT_EQ(wrapped.form, Form::kBitcode);
  for (const std::string text : {"", "; text\n\tdefine void @f() { ret void }\r\n"}) {
    ASSERT_OK_AND_ASSIGN(ModuleContents contents, Read(text));
    EXPECT_EQ(contents.form, Form::kText);
    EXPECT_EQ(contents.bytes->bytes(), text);
  }
}

TEST(ModuleContentsTest, OtherFilesAreInvalid) {
  EXPECT_THAT(Read(std::string("\x7f"
                               "ELF\x02\x01\x01\0\0",
                               9)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::HasSubstr("is neither LLVM bitcode nor LLVM assembly text")));
  EXPECT_THAT(ModuleContents::Read("/no/such/file.bc"),
              StatusIs(absl::StatusCode::kNotFound,
                       "cannot read '/no/such/file.bc': No such file or directory"));
}

}  // namespace
}  // namespace firstcall

// BitcodeModule::unread_metadata: whatever stands in these bytes, all that is read is the same.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "bitcode/function_reader.h"
#include "bitcode/module.h"
#include "gtest/gtest.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/text.h"
#include "tests/bitcode/samples.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::bitcode {
namespace {

using testing::Sample;

absl::Span<const uint8_t> BytesOf(const std::string& bitcode) {
  return {reinterpret_cast<const uint8_t*>(bitcode.data()), bitcode.size()};
}

// All that the readers make of a module.
std::string TextOf(const std::string& bitcode) {
  const absl::StatusOr<std::unique_ptr<BitcodeModule>> module =
      BitcodeModule::Read(BytesOf(bitcode));
  if (!module.ok()) return module.status().ToString();
  std::string text = ir::TextOf((*module)->module());
  FunctionReader reader(**module);
  ir::Function function;
  const absl::Span<const ir::Global> globals = (*module)->module().globals();
  for (uint32_t global = 0; global < globals.size(); ++global) {
    if (!globals[global].IsFunction() || globals[global].is_declaration()) continue;
    const absl::Status read = reader.Read(global, function);
    absl::StrAppend(&text, read.ok() ? ir::TextOf(function) : read.ToString(), "\n");
  }
  return text;
}

// Returns how many bytes were changed.
size_t ChangeUnreadMetadata(std::string& bitcode) {
  const absl::StatusOr<std::unique_ptr<BitcodeModule>> module =
      BitcodeModule::Read(BytesOf(bitcode));
  if (!module.ok()) return 0;
  size_t count = 0;
  for (absl::Span<const uint8_t> part : (*module)->unread_metadata()) {
    const size_t begin = static_cast<size_t>(part.data() - BytesOf(bitcode).data());
    std::fill_n(bitcode.begin() + static_cast<std::ptrdiff_t>(begin), part.size(), '\xff');
    count += part.size();
  }
  return count;
}

class UnreadMetadataTest : public ::testing::TestWithParam<Sample> {};

TEST_P(UnreadMetadataTest, MeansNothing) {
  std::string bitcode = ParseToBitcode(GetParam().text);
  const std::string text = TextOf(bitcode);
  ChangeUnreadMetadata(bitcode);
  EXPECT_EQ(TextOf(bitcode), text);
}

INSTANTIATE_TEST_SUITE_P(Samples, UnreadMetadataTest, ::testing::ValuesIn(testing::AllSamples()),
                         [](const ::testing::TestParamInfo<Sample>& info) {
                           return std::string(info.param.name);
                         });

// LLVM writes an index, by which readers jump over the metadata, if there is enough of it.
TEST(UnreadMetadataOfLargeModuleTest, IsNearlyAllMetadata) {
  std::string text = "define void @f() { ret void }\n!named = !{!0";
  for (int i = 1; i < 2000; ++i) absl::StrAppend(&text, ", !", i);
  absl::StrAppend(&text, "}\n!llvm.module.flags = !{!900}\n");
  for (int i = 0; i < 2000; ++i) {
    const bool is_flag = i == 900;
    absl::StrAppend(&text, "!", i, " = !{i32 ", is_flag ? 1 : i, ", !\"",
                    is_flag ? "wchar_size" : "name", "\", i32 4}\n");
  }
  std::string bitcode = ParseToBitcode(text);
  const std::string read = TextOf(bitcode);
  const size_t size = bitcode.size();
  EXPECT_GT(ChangeUnreadMetadata(bitcode), size / 4);
  EXPECT_EQ(TextOf(bitcode), read);
}

}  // namespace
}  // namespace firstcall::bitcode

#include "splitter/bitcode_digests.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::SizeIs;

constexpr char kProgram[] = R"(
  @text = private constant [3 x i8] c"hi\00"
  declare i32 @puts(ptr)
  define i32 @first(i32 %x) { %r = add i32 %x, 1 ret i32 %r }
  define i32 @second(i32 %x) {
    %c = icmp eq i32 %x, 0
    br i1 %c, label %then, label %end
  then:
    %ignored = call i32 @puts(ptr @text)
    br label %end
  end:
    %r = mul i32 %x, 3
    ret i32 %r
  }
  define i32 @third(i32 %x) { %r = call i32 @first(i32 %x) ret i32 %r })";

BitcodeDigests DigestsOf(const std::string& text) {
  return DigestBitcode(ParseToBitcode(text)).value();
}

TEST(BitcodeDigestsTest, OneBodyIsAnotherAfterItsChange) {
  const BitcodeDigests before = DigestsOf(kProgram);
  ASSERT_THAT(before.bodies, SizeIs(3));
  EXPECT_THAT(before.frame, SizeIs(32));
  // Of another size, so that the places of what follows are others.
  const BitcodeDigests after =
      DigestsOf(absl::StrReplaceAll(kProgram, {{"%r = add i32 %x, 1",
                                                "%a = mul i32 %x, %x %b = mul i32 %a, %x "
                                                "%d = mul i32 %b, %b %r = add i32 %d, 1"}}));
  EXPECT_EQ(after.frame, before.frame);
  EXPECT_NE(after.bodies[0], before.bodies[0]);
  EXPECT_EQ(after.bodies[1], before.bodies[1]);
  EXPECT_EQ(after.bodies[2], before.bodies[2]);
  EXPECT_NE(before.bodies[0], before.bodies[1]);
}

TEST(BitcodeDigestsTest, TheFrameIsEverythingElse) {
  const BitcodeDigests before = DigestsOf(kProgram);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"c\"hi\\00\"", "c\"ho\\00\""},
           {"@puts", "@puty"},
           {"@third", "@fourth"},
           {"define i32 @first", "define internal i32 @first"},
           {"declare i32 @puts(ptr)", "declare i32 @puts(ptr) nounwind"}}) {
    EXPECT_NE(DigestsOf(absl::StrReplaceAll(kProgram, {{from, to}})).frame, before.frame) << from;
  }
}

TEST(BitcodeDigestsTest, WhatIsNotOneModuleIsRefused) {
  const std::string bitcode = ParseToBitcode(kProgram);
  EXPECT_THAT(DigestBitcode(""), StatusIs(absl::StatusCode::kInvalidArgument, "malformed bitcode"));
  EXPECT_THAT(DigestBitcode(kProgram),
              StatusIs(absl::StatusCode::kInvalidArgument, "malformed bitcode"));
  for (size_t size = 0; size < bitcode.size(); size += 4) {
    (void)DigestBitcode(absl::string_view(bitcode).substr(0, size));
  }
  for (size_t i = 0; i < bitcode.size(); ++i) {
    std::string damaged = bitcode;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x44);
    (void)DigestBitcode(damaged);
  }
}

}  // namespace
}  // namespace firstcall

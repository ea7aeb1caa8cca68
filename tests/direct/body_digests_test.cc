// That the digests are those of splitter/bitcode_digests, and what else a digest must be. What a
// digest has to notice is tested there (tests/splitter/bitcode_digests_test.cc).

#include "direct/body_digests.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_contents.h"
#include "base/ids.h"
#include "base/module_contents.h"
#include "direct/source_module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/global.h"
#include "splitter/bitcode_digests.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using ::testing::SizeIs;

// With declarations and variables in between, which have no bodies, but ordinals.
constexpr absl::string_view kProgram = R"(
  @text = private constant [3 x i8] c"hi\00"
  declare i32 @puts(ptr)
  define i32 @first(i32 %x) { %r = add i32 %x, 1 ret i32 %r }
  declare i32 @elsewhere(i32)
  define internal i32 @second(i32 %x) {
    %c = icmp eq i32 %x, 0
    br i1 %c, label %then, label %end
  then:
    %ignored = call i32 @puts(ptr @text)
    br label %end
  end:
    %r = mul i32 %x, 3
    ret i32 %r
  }
  @second_name = alias i32 (i32), ptr @second
  define i32 @third(i32 %x) { %r = call i32 @elsewhere(i32 %x) ret i32 %r })";

absl::StatusOr<std::shared_ptr<const ReadModule>> Read(const std::string& bitcode) {
  SourceModule source(ModuleId{1},
                      {"m", ModuleContents::Form::kBitcode, FileContents::Copy(bitcode)}, nullptr);
  return source.Read();
}

// Those of the bodies that there are.
std::vector<std::string> BodiesIn(const BodyDigests& digests) {
  std::vector<std::string> bodies;
  for (const std::string& body : digests.bodies) {
    if (!body.empty()) bodies.push_back(body);
  }
  return bodies;
}

TEST(BodyDigestsTest, AreThoseOfTheOtherWay) {
  const std::string bitcode = ParseToBitcode(kProgram);
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const ReadModule> module, Read(bitcode));
  ASSERT_OK_AND_ASSIGN(const BodyDigests digests, ReadBodyDigests(*module));
  ASSERT_OK_AND_ASSIGN(const BitcodeDigests others, DigestBitcode(bitcode));
  EXPECT_EQ(digests.frame, others.frame);
  EXPECT_THAT(others.bodies, SizeIs(3));
  EXPECT_EQ(BodiesIn(digests), others.bodies);
}

TEST(BodyDigestsTest, HaveThePlacesOfTheirSymbols) {
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const ReadModule> module,
                       Read(ParseToBitcode(kProgram)));
  ASSERT_OK_AND_ASSIGN(const BodyDigests digests, ReadBodyDigests(*module));
  ASSERT_THAT(digests.bodies, SizeIs(module->index->size()));
  const std::set<absl::string_view> defined = {"first", "second", "third"};
  for (uint32_t number = 0; number < module->module().globals().size(); ++number) {
    const absl::string_view name = module->module().globals()[number].name;
    const std::string& digest = digests.bodies[module->numbers.OrdinalOf(number).value];
    EXPECT_THAT(digest, SizeIs(defined.count(name) != 0 ? 16 : 0)) << name;
  }
}

// A byte that the reader skips may say anything, also about the blocks in which it is.
TEST(BodyDigestsTest, OfDamagedBytesAreThoseOfTheOtherWay) {
  const std::string bitcode = ParseToBitcode(kProgram);
  size_t read = 0;
  for (size_t i = 0; i < bitcode.size(); ++i) {
    std::string damaged = bitcode;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x44);
    const absl::StatusOr<std::shared_ptr<const ReadModule>> module = Read(damaged);
    if (!module.ok()) continue;
    ++read;
    const absl::StatusOr<BodyDigests> digests = ReadBodyDigests(**module);
    if (!digests.ok()) {
      EXPECT_EQ(digests.status().code(), absl::StatusCode::kInvalidArgument) << i;
      EXPECT_FALSE(DigestBitcode(damaged).ok()) << i;
      continue;
    }
    const absl::StatusOr<BitcodeDigests> others = DigestBitcode(damaged);
    ASSERT_THAT(others, IsOk()) << i;
    EXPECT_EQ(digests->frame, others->frame) << i;
    EXPECT_EQ(BodiesIn(*digests), others->bodies) << i;
  }
  EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace firstcall::direct

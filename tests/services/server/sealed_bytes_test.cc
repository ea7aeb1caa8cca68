#include "services/server/sealed_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/server/sealed_bytes_writer.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

TEST(SealedBytesTest, AreMappedAsTheyWere) {
  for (const std::string& bytes :
       {std::string(), std::string("abc"), std::string(4096, 'x'), std::string(100000, 'y')}) {
    const auto file = SealBytes(bytes);
    ASSERT_TRUE(file.ok()) << file.status();
    const auto mapped = MapSealedBytes(*file);
    ASSERT_TRUE(mapped.ok()) << mapped.status();
    EXPECT_EQ((*mapped)->bytes(), bytes);
    EXPECT_EQ((*mapped)->bytes().data()[bytes.size()], 0);
  }
}

TEST(SealedBytesTest, MayComeInParts) {
  auto writer = SealedBytesWriter::Create();
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (const char* part : {"abc", "", "de"}) ASSERT_TRUE(writer->Append(part).ok());
  EXPECT_EQ(writer->size(), 5u);
  const auto file = (*std::move(writer)).Seal();
  ASSERT_TRUE(file.ok()) << file.status();
  const auto mapped = MapSealedBytes(*file);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_EQ((*mapped)->bytes(), "abcde");
}

TEST(SealedBytesTest, CannotBeChanged) {
  const auto file = SealBytes("abc");
  ASSERT_TRUE(file.ok());
  EXPECT_LT(write(file->number(), "x", 1), 0);
  EXPECT_NE(ftruncate(file->number(), 1), 0);
}

TEST(SealedBytesTest, AFileThatIsNotSealedIsRefused) {
  const File file(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(write(file.number(), "abc", 4), 4);
  EXPECT_THAT(MapSealedBytes(file).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, ::testing::HasSubstr("not sealed")));
  EXPECT_TRUE(absl::IsInvalidArgument(MapSealedBytes(File(dup(STDERR_FILENO))).status()));
}

}  // namespace
}  // namespace firstcall

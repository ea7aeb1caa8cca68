#include "base/positioned_write.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/file.h"
#include "gtest/gtest.h"
#include "tests/testing/limits.h"

namespace firstcall {
namespace {

class PositionedWriteTest : public ::testing::Test {
 protected:
  std::string Read(size_t size) const {
    std::string bytes(size, '\0');
    EXPECT_EQ(pread(file_.number(), bytes.data(), size, 0), static_cast<ssize_t>(size));
    return bytes;
  }

  const File file_{memfd_create("test", MFD_CLOEXEC)};
};

TEST_F(PositionedWriteTest, WritesPieces) {
  const iovec pieces[] = {{const_cast<char*>("one"), 3}, {const_cast<char*>("two"), 3}};
  EXPECT_EQ(PositionedWrite(file_.number(), pieces, 2), 6);
  EXPECT_EQ(PositionedWrite(file_.number(), "ab", 0), 2);
  EXPECT_EQ(Read(8), "abonetwo");
}

TEST_F(PositionedWriteTest, AtTheLimitItIsAnErrorAndNoSignal) {
  const testing::FileSizeLimit limit(4);
  // So that the signal would end this process.
  const auto handler = signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(PositionedWrite(file_.number(), "abcdef", 0), 4);
  EXPECT_EQ(PositionedWrite(file_.number(), "ef", 4), -1);
  EXPECT_EQ(errno, EFBIG);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(Read(4), "abcd");
}

TEST_F(PositionedWriteTest, OtherErrorsAreTheSystems) {
  EXPECT_EQ(PositionedWrite(-1, "abc", 0), -1);
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace firstcall

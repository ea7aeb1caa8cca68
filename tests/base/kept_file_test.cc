#include "base/kept_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/testing/limits.h"
#include "tests/testing/socket_pair.h"

namespace firstcall {
namespace {

class KeptFileTest : public ::testing::Test {
 protected:
  KeptFileTest() { std::ofstream(path_) << "kept"; }
  ~KeptFileTest() override { std::filesystem::remove(path_); }

  File Open() const { return File(open(path_.c_str(), O_RDONLY | O_CLOEXEC)); }
  static std::string ContentsOf(int number) {
    char bytes[16];
    const ssize_t count = pread(number, bytes, sizeof(bytes), 0);
    return count < 0 ? "" : std::string(bytes, static_cast<size_t>(count));
  }
  // What a program does: closes a file that is not its own, and opens one under its number.
  static void Take(int number) {
    const File own(open("/dev/null", O_RDWR | O_CLOEXEC));
    ASSERT_EQ(dup3(own.number(), number, O_CLOEXEC), number);
  }
  static bool IsOpen(int number) { return fcntl(number, F_GETFD) >= 0; }

  const std::string path_ = ::testing::TempDir() + "/kept_file";
};

TEST_F(KeptFileTest, LeavesLowNumbersToTheProgram) {
  File file = Open();
  const int low = file.number();
  const KeptFile kept(std::move(file));
  EXPECT_GE(kept.number(), KeptFile::kLeastNumber);
  EXPECT_FALSE(IsOpen(low));
  EXPECT_NE(fcntl(kept.number(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(ContentsOf(kept.number()), "kept");
}

TEST_F(KeptFileTest, MayHaveALowNumberIfThereAreNoOthers) {
  const testing::LimitTo few(RLIMIT_NOFILE, KeptFile::kLeastNumber);
  const KeptFile kept(Open());
  EXPECT_LT(kept.number(), KeptFile::kLeastNumber);
  EXPECT_EQ(ContentsOf(kept.number()), "kept");
}

TEST_F(KeptFileTest, IsClosedWithItsOwner) {
  int number = -1;
  {
    const KeptFile kept(Open());
    number = kept.number();
    EXPECT_TRUE(IsOpen(number));
  }
  EXPECT_FALSE(IsOpen(number));
}

TEST_F(KeptFileTest, ThereMayBeNone) {
  EXPECT_LT(KeptFile().number(), 0);
  EXPECT_LT(KeptFile(File()).number(), 0);
  KeptFile closed(Open());
  closed.Close();
  EXPECT_LT(closed.number(), 0);
}

TEST_F(KeptFileTest, ProgramsFileUnderTheSameNumberIsNotTouched) {
  int number = -1;
  {
    const KeptFile kept(Open());
    number = kept.number();
    Take(number);
    EXPECT_LT(kept.number(), 0);
  }
  EXPECT_TRUE(IsOpen(number));
  close(number);
}

TEST_F(KeptFileTest, IsOpenedAgainIfItsPathIsKnown) {
  const KeptFile kept(Open(), path_, O_RDONLY);
  const int number = kept.number();
  close(number);
  EXPECT_EQ(ContentsOf(kept.number()), "kept");
  const int again = kept.number();
  Take(again);
  EXPECT_NE(kept.number(), again);
  EXPECT_EQ(ContentsOf(kept.number()), "kept");
  close(again);
}

TEST_F(KeptFileTest, AnotherFileAtItsPathIsNotIt) {
  const KeptFile kept(Open(), path_, O_RDONLY);
  close(kept.number());
  std::filesystem::rename(path_, path_ + ".old");
  EXPECT_LT(kept.number(), 0);
  std::ofstream(path_) << "other";
  EXPECT_LT(kept.number(), 0);
  std::filesystem::rename(path_ + ".old", path_);
  EXPECT_EQ(ContentsOf(kept.number()), "kept");
}

TEST_F(KeptFileTest, SocketsAreToldApart) {
  const SocketPair ours, programs;
  const KeptFile kept(File(dup(ours.one.number())));
  const int number = kept.number();
  ASSERT_EQ(dup3(programs.one.number(), number, O_CLOEXEC), number);
  EXPECT_LT(kept.number(), 0);
  close(number);
}

}  // namespace
}  // namespace firstcall

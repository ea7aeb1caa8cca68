#include "base/socket_stream.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "gtest/gtest.h"
#include "tests/testing/limits.h"
#include "tests/testing/socket_pair.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

class SocketStreamTest : public ::testing::Test {
 protected:
  std::string Receive(size_t size, File* file = nullptr) {
    std::string bytes(size, '\0');
    EXPECT_THAT(ReceiveStream(other_, bytes.data(), size, {}, file), IsOk());
    return bytes;
  }

  SocketPair pair_;
  KeptFile one_{std::move(pair_.one)}, other_{std::move(pair_.other)};
};

TEST_F(SocketStreamTest, CarriesPartsAndAFile) {
  const File file(open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSERT_THAT(SendStream(one_, {"head", "", "body"}, {}, file.number()), IsOk());
  File received;
  EXPECT_EQ(Receive(8, &received), "headbody");
  EXPECT_TRUE(received.is_open());
  ASSERT_THAT(SendStream(one_, {"more"}, {}), IsOk());
  EXPECT_EQ(Receive(4), "more");
}

TEST_F(SocketStreamTest, CarriesWhatIsLongerThanTheSocketsBuffer) {
  const std::string bytes(size_t{8} << 20, 'x');
  std::thread sender([&] { EXPECT_THAT(SendStream(one_, {"begin", bytes}, {}), IsOk()); });
  EXPECT_EQ(Receive(5), "begin");
  EXPECT_EQ(Receive(bytes.size()), bytes);
  sender.join();
}

TEST_F(SocketStreamTest, HasADeadlineEvenIfNothingMustBeWaitedFor) {
  char byte = 0;
  const StreamPatience soon = {SteadyNow() + absl::Milliseconds(5)};
  EXPECT_THAT(ReceiveStream(other_, &byte, 1, soon), StatusIs(absl::StatusCode::kDeadlineExceeded));
  ASSERT_THAT(SendStream(one_, {"x"}, {}), IsOk());
  const StreamPatience over = {SteadyNow()};
  EXPECT_THAT(ReceiveStream(other_, &byte, 1, over), StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(SendStream(one_, {"x"}, over), StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(SocketStreamTest, NoticesTheEnd) {
  ASSERT_THAT(SendStream(one_, {"last"}, {}), IsOk());
  one_.Close();
  EXPECT_EQ(Receive(4), "last");
  char byte = 0;
  EXPECT_THAT(ReceiveStream(other_, &byte, 1, {}), StatusIs(absl::StatusCode::kOutOfRange));
  EXPECT_THAT(SendStream(other_, {"x"}, {}), StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(SocketStreamTest, NoticesTheEndOfAProcessWhoseSocketIsOpen) {
  SocketPair notice;
  notice.one.Close();
  char byte = 0;
  EXPECT_THAT(ReceiveStream(other_, &byte, 1, {absl::InfiniteDuration(), notice.other.number()}),
              StatusIs(absl::StatusCode::kOutOfRange));
}

// The system refuses poll then.
TEST_F(SocketStreamTest, WaitsThoughTheProcessMayHaveNoOpenFiles) {
  if (testing::kSanitizerOpensPipes) GTEST_SKIP() << "the sanitizer opens pipes";
  const testing::LimitTo none(RLIMIT_NOFILE, 0);
  char byte = 0;
  const StreamPatience soon = {SteadyNow() + absl::Milliseconds(5)};
  EXPECT_THAT(ReceiveStream(other_, &byte, 1, soon), StatusIs(absl::StatusCode::kDeadlineExceeded));
  std::thread sender([&] {
    absl::SleepFor(absl::Milliseconds(20));
    EXPECT_THAT(SendStream(one_, {"late"}, {}), IsOk());
  });
  EXPECT_EQ(Receive(4), "late");
  sender.join();
}

// poll would wait for the program's socket.
TEST_F(SocketStreamTest, NoticesThatTheProgramHasClosedItWhileItWaits) {
  SocketPair programs;
  const int number = other_.number();
  std::thread program([&] {
    absl::SleepFor(absl::Milliseconds(50));
    EXPECT_EQ(dup3(programs.one.number(), number, O_CLOEXEC), number);
  });
  char byte = 0;
  EXPECT_THAT(ReceiveStream(other_, &byte, 1, {}), StatusIs(absl::StatusCode::kUnavailable));
  program.join();
  close(number);
}

}  // namespace
}  // namespace firstcall

#include "base/passed_files.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/socket_pair.h"

namespace firstcall {
namespace {

// A message of one byte.
struct ByteMessage {
  ByteMessage() {
    message.msg_iov = &content;
    message.msg_iovlen = 1;
  }
  char byte = 'x';
  iovec content = {&byte, 1};
  msghdr message = {};
};

class PassedFilesTest : public ::testing::Test {
 protected:
  bool Send(const std::vector<int>& files) {
    ByteMessage sent;
    PassedFiles passed;
    passed.Attach(files, sent.message);
    return sendmsg(sockets_.one.number(), &sent.message, 0) == 1;
  }

  std::vector<File> Receive() {
    ByteMessage received;
    PassedFiles passed;
    passed.MakeRoom(received.message);
    EXPECT_EQ(recvmsg(sockets_.other.number(), &received.message, 0), 1);
    return PassedFiles::Take(received.message);
  }

  SocketPair sockets_;
};

bool IsOpen(int file) { return fcntl(file, F_GETFD) >= 0; }

TEST_F(PassedFilesTest, ArriveWithTheirMessage) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_TRUE(Send({}));
  ASSERT_TRUE(Send({ends[0], ends[1]}));
  EXPECT_TRUE(Receive().empty());
  const std::vector<File> files = Receive();
  ASSERT_EQ(files.size(), 2u);
  close(ends[1]);
  ASSERT_EQ(write(files[1].number(), "y", 1), 1);
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  close(ends[0]);
}

TEST_F(PassedFilesTest, AreClosedIfNobodyTakesThem) {
  ASSERT_TRUE(Send({STDERR_FILENO}));
  int number = -1;
  {
    const std::vector<File> files = Receive();
    ASSERT_EQ(files.size(), 1u);
    number = files[0].number();
    EXPECT_TRUE(IsOpen(number));
  }
  EXPECT_FALSE(IsOpen(number));
}

}  // namespace
}  // namespace firstcall

// Two local sockets that are connected with each other, for tests of what goes over them.

#ifndef FIRSTCALL_TESTS_TESTING_SOCKET_PAIR_H_
#define FIRSTCALL_TESTS_TESTING_SOCKET_PAIR_H_

#include <sys/socket.h>

#include "base/file.h"
#include "gtest/gtest.h"

namespace firstcall {

struct SocketPair {
  explicit SocketPair(int type = SOCK_STREAM) {
    int both[2];
    EXPECT_EQ(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, both), 0);
    one = File(both[0]);
    other = File(both[1]);
  }

  File one, other;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_SOCKET_PAIR_H_

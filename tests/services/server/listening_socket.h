// A socket at which a test listens itself, under a name in a directory of its own.
//
// For one thread at a time, but for path() and number().

#ifndef FIRSTCALL_TESTS_SERVICES_SERVER_LISTENING_SOCKET_H_
#define FIRSTCALL_TESTS_SERVICES_SERVER_LISTENING_SOCKET_H_

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "gtest/gtest.h"

namespace firstcall {

class ListeningSocket {
 public:
  // `type` is as for socket(2); one of datagrams has a name, but cannot listen.
  explicit ListeningSocket(int type) : socket_(socket(AF_UNIX, type | SOCK_CLOEXEC, 0)) {
    char directory[] = "/tmp/firstcall_listener_XXXXXX";
    EXPECT_NE(mkdtemp(directory), nullptr);
    directory_ = directory;
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(number(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    if (type != SOCK_DGRAM) {
      EXPECT_EQ(listen(number(), 5), 0);
    }
  }
  ~ListeningSocket() { std::filesystem::remove_all(directory_); }
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  std::string path() const { return directory_ + "/socket"; }
  int number() const { return socket_.number(); }

 private:
  std::string directory_;
  const File socket_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_SERVICES_SERVER_LISTENING_SOCKET_H_

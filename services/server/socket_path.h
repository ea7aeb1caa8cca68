// The path at which a compile server listens by default. Tested in
// tests/command/compile_server_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_SOCKET_PATH_H_
#define FIRSTCALL_SERVICES_SERVER_SOCKET_PATH_H_

#include <cstdlib>
#include <string>

namespace firstcall {

// The path is in the directory of the user's session ($XDG_RUNTIME_DIR), to which nobody else has
// access. Empty if there is no such directory.
inline std::string DefaultSocketPath() {
  const char* const directory = std::getenv("XDG_RUNTIME_DIR");
  if (directory == nullptr || directory[0] != '/') return "";
  return std::string(directory) + "/firstcall.socket";
}

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_SOCKET_PATH_H_

#include "tests/testing/redis_server.h"

#include "absl/strings/str_cat.h"

namespace firstcall {

RedisServer::RedisServer(const std::vector<std::string>& options) : port_(FreePort()) {
  std::vector<std::string> command = {
      "/usr/bin/redis-server", "--port", absl::StrCat(port_), "--bind", "127.0.0.1", "--save", "",
      "--appendonly",          "no"};
  command.insert(command.end(), options.begin(), options.end());
  process_.Start(std::move(command), port_);
}

std::string RedisServer::Url(const std::string& login) const {
  return absl::StrCat("redis://", login, "127.0.0.1:", port_, "/0");
}

}  // namespace firstcall

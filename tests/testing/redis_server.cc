#include "tests/testing/redis_server.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

constexpr char kServer[] = "/usr/bin/redis-server";

}  // namespace

bool RedisServer::IsInstalled() { return access(kServer, X_OK) == 0 && Certificate::CanBeMade(); }

RedisServer::RedisServer(Options options) : options_(std::move(options)), port_(FreePort()) {
  std::string name = ::testing::TempDir() + "/redisXXXXXX";
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  directory_ = name;
  std::vector<std::string> command = {kServer, "--bind",   "127.0.0.1",    "--save", "",
                                      "--dir", directory_, "--appendonly", "no"};
  if (options_.has_tls) {
    certificate_ = options_.certificate;
    if (!certificate_) certificate_.emplace(directory_);
    for (const std::string& word : std::vector<std::string>{
             "--tls-port", absl::StrCat(port_), "--port", "0", "--tls-cert-file", Authority(),
             "--tls-key-file", Key(), "--tls-ca-cert-file", Authority(), "--tls-auth-clients",
             options_.asks_certificate ? "yes" : "no"}) {
      command.push_back(word);
    }
  } else {
    command.insert(command.end(), {"--port", absl::StrCat(port_)});
  }
  command.insert(command.end(), options_.more.begin(), options_.more.end());
  process_.Start(std::move(command), port_);
}

RedisServer::~RedisServer() {
  Kill();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string RedisServer::Url(const std::string& login) const {
  return absl::StrCat(options_.has_tls ? "rediss://" : "redis://", login, "127.0.0.1:", port_,
                      "/0");
}

}  // namespace firstcall

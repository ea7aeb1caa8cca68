#include "tests/cache/cache_server.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cache/curl_library.h"
#include "cache/openssl_library.h"
#include "tests/testing/nginx_server.h"
#include "tests/testing/redis_cluster.h"
#include "tests/testing/redis_server.h"

namespace firstcall {
namespace {

using Kind = CacheServer::Kind;

bool HasTls(Kind kind) { return kind == Kind::kHttps || kind == Kind::kRedisWithTls; }

// Of an NginxServer or a RedisServer.
template <typename Server>
class OneServer final : public CacheServer {
 public:
  explicit OneServer(const typename Server::Options& options)
      : options_(options), server_(options) {}

  int port() const override { return server_.port(); }
  std::string Url(int port) const override {
    return absl::StrReplaceAll(
        server_.Url(), {{absl::StrCat(":", server_.port(), "/"), absl::StrCat(":", port, "/")}});
  }
  std::string Authority() const override { return server_.Authority(); }
  std::string Key() const override { return server_.Key(); }
  SharedCacheSettings Trust() const override {
    if (!options_.has_tls) return {};
    return {{"ca-file", server_.Authority()}};
  }
  void Kill() override { server_.Kill(); }
  void Stop() override { server_.Stop(); }
  void Continue() override { server_.Continue(); }

 private:
  const typename Server::Options options_;
  Server server_;
};

class ClusterServer final : public CacheServer {
 public:
  int port() const override { return cluster_.server(0).port(); }
  std::string Url(int port) const override {
    return absl::StrCat("redis://127.0.0.1:", port, "/0");
  }
  std::string Authority() const override { return ""; }
  std::string Key() const override { return ""; }
  SharedCacheSettings Trust() const override { return {}; }
  void Kill() override { cluster_.Kill(); }
  void Stop() override { cluster_.Stop(); }
  void Continue() override { cluster_.Continue(); }

 private:
  RedisCluster cluster_;
};

template <typename Server>
std::unique_ptr<CacheServer> StartOne(Kind kind, bool asks_certificate) {
  typename Server::Options options;
  options.has_tls = HasTls(kind);
  options.asks_certificate = asks_certificate;
  return std::make_unique<OneServer<Server>>(options);
}

}  // namespace

std::string CacheServer::NameOf(Kind kind) {
  switch (kind) {
    case Kind::kHttp:
      return "Http";
    case Kind::kHttps:
      return "Https";
    case Kind::kRedis:
      return "Redis";
    case Kind::kRedisWithTls:
      return "RedisWithTls";
    case Kind::kRedisCluster:
      return "RedisCluster";
  }
  return "";
}

std::string CacheServer::Missing(Kind kind) {
  if (kind == Kind::kHttp || kind == Kind::kHttps) {
    if (!NginxServer::IsInstalled()) return "nginx or openssl is not installed";
    return std::string(curl::Load().status().message());
  }
  if (!RedisServer::IsInstalled()) return "redis-server or openssl is not installed";
  return HasTls(kind) ? std::string(openssl::Load().status().message()) : "";
}

std::unique_ptr<CacheServer> CacheServer::Start(Kind kind, bool asks_certificate) {
  switch (kind) {
    case Kind::kHttp:
    case Kind::kHttps:
      return StartOne<NginxServer>(kind, asks_certificate);
    case Kind::kRedis:
    case Kind::kRedisWithTls:
      return StartOne<RedisServer>(kind, asks_certificate);
    case Kind::kRedisCluster:
      break;
  }
  return std::make_unique<ClusterServer>();
}

}  // namespace firstcall

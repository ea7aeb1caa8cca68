// A server of one of the kinds that machines can share a cache by, for tests of what all kinds have
// in common.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_CACHE_CACHE_SERVER_H_
#define FIRSTCALL_TESTS_CACHE_CACHE_SERVER_H_

#include <memory>
#include <string>

#include "cache/open_shared_cache.h"

namespace firstcall {

class CacheServer {
 public:
  enum class Kind { kHttp, kHttps, kRedis, kRedisWithTls, kRedisCluster };

  // "Http", for example, for names of tests.
  static std::string NameOf(Kind kind);

  // What is missing on this machine for such a server; empty if nothing is.
  static std::string Missing(Kind kind);

  // Starts one. With TLS, it may ask for clients' certificates.
  static std::unique_ptr<CacheServer> Start(Kind kind, bool asks_certificate = false);
  virtual ~CacheServer() = default;

  virtual int port() const = 0;

  // The URL, if it is reached through `port`.
  virtual std::string Url(int port) const = 0;
  std::string Url() const { return Url(port()); }

  // For TLS: the authority, which is also a client's certificate, and its key.
  virtual std::string Authority() const = 0;
  virtual std::string Key() const = 0;

  // The settings by which a client knows the server: none without TLS.
  virtual SharedCacheSettings Trust() const = 0;

  // As ServerProcess.
  virtual void Kill() = 0;
  virtual void Stop() = 0;
  virtual void Continue() = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_CACHE_CACHE_SERVER_H_

#include "tests/testing/redis_cluster.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/redis_address.h"
#include "cache/redis_connection.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

constexpr int kServers = 3;
constexpr int kSlots = 16384;

// What the server says, or the reason that it says nothing.
std::string Ask(const RedisServer& server, RedisCommand command) {
  TlsIdentity identity;
  identity.ca_file = server.Authority();
  identity.certificate_file = server.Authority();
  identity.certificate_key_file = server.Key();
  RedisConnection connection(RedisAddress::Parse(server.Url()).value(), identity, 1 << 20);
  const absl::StatusOr<RedisReply> reply =
      connection.Run({{std::move(command), ""}}, absl::Seconds(30)).front();
  return reply.ok() ? reply->text.value_or("") : std::string(reply.status().message());
}

}  // namespace

RedisCluster::RedisCluster(const RedisServer::Options& options) {
  std::vector<int> bus_ports;
  RedisServer::Options own = options;
  if (own.has_tls) {
    own.more.emplace_back("--tls-cluster");
    own.more.emplace_back("yes");
  }
  for (int i = 0; i < kServers; ++i) {
    bus_ports.push_back(FreePort());
    RedisServer::Options one = own;
    one.more.insert(one.more.end(),
                    {"--cluster-enabled", "yes", "--cluster-port", absl::StrCat(bus_ports.back())});
    servers_.push_back(std::make_unique<RedisServer>(one));
    own.certificate = servers_[0]->certificate();
    EXPECT_EQ(Ask(*servers_[i], {"CLUSTER", "ADDSLOTSRANGE", absl::StrCat(kSlots * i / kServers),
                                 absl::StrCat(kSlots * (i + 1) / kServers - 1)}),
              "OK");
    EXPECT_EQ(Ask(*servers_[i], {"CLUSTER", "SET-CONFIG-EPOCH", absl::StrCat(i + 1)}), "OK");
  }
  for (int i = 1; i < kServers; ++i) {
    EXPECT_EQ(Ask(*servers_[0], {"CLUSTER", "MEET", "127.0.0.1", absl::StrCat(servers_[i]->port()),
                                 absl::StrCat(bus_ports[i])}),
              "OK");
  }
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  for (const std::unique_ptr<RedisServer>& server : servers_) {
    while (!absl::StrContains(Ask(*server, {"CLUSTER", "INFO"}), "cluster_state:ok") &&
           absl::Now() < deadline) {
      absl::SleepFor(absl::Milliseconds(20));
    }
  }
  EXPECT_LT(absl::Now(), deadline) << "the servers do not find each other";
}

void RedisCluster::Kill() {
  for (const std::unique_ptr<RedisServer>& server : servers_) server->Kill();
}

void RedisCluster::Stop() {
  for (const std::unique_ptr<RedisServer>& server : servers_) server->Stop();
}

void RedisCluster::Continue() {
  for (const std::unique_ptr<RedisServer>& server : servers_) server->Continue();
}

}  // namespace firstcall

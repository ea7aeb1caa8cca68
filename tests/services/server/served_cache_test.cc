// What a client asks of a server that knows nothing. With a real one:
// tests/engine/served_compiler_test.cc.

#include "services/server/served_cache.h"

#include <sys/socket.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/coding.h"
#include "base/file.h"
#include "base/packets.h"
#include "base/steady_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/server/protocol.h"
#include "tests/services/server/listening_socket.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;

constexpr ModulePart kIndex{ModulePart::Kind::kIndex, SymbolOrdinal()};
constexpr ModulePart kStart{ModulePart::Kind::kStart, SymbolOrdinal()};
constexpr ModulePart kFunction{ModulePart::Kind::kFunction, SymbolOrdinal{1}};
constexpr ModulePart kOtherFunction{ModulePart::Kind::kFunction, SymbolOrdinal{2}};

// Answers that it knows nothing, and notes for how many milliseconds each client could wait.
class IgnorantServer {
 public:
  IgnorantServer() : thread_([this] { Serve(); }) {}
  ~IgnorantServer() {
    shutdown(socket_.number(), SHUT_RDWR);
    thread_.join();
  }

  std::string path() const { return socket_.path(); }
  std::vector<uint32_t> patiences() {
    absl::MutexLock lock(&mutex_);
    return patiences_;
  }

 private:
  void Serve() {
    while (true) {
      const File client(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client.is_open()) return;
      const auto packet = ReceivePacket(client.number(), SteadyNow() + absl::Seconds(60));
      if (!packet.ok()) continue;
      Decoder decoder(packet->bytes);
      EXPECT_EQ(decoder.U8(), static_cast<uint8_t>(ServerMessage::kFind));
      {
        absl::MutexLock lock(&mutex_);
        patiences_.push_back(decoder.U32());
      }
      EXPECT_TRUE(SendPacket(client.number(), std::string(1, '\0')).ok());
    }
  }

  const ListeningSocket socket_{SOCK_SEQPACKET};
  absl::Mutex mutex_;
  std::vector<uint32_t> patiences_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;  // Uses the others.
};

class MemoryCache final : public ObjectCache {
 public:
  std::optional<Bytes> Find(const ObjectKey& key) override {
    auto found = entries_.find(key.part);
    return found == entries_.end() ? std::nullopt : std::optional<Bytes>(found->second);
  }
  void Store(const ObjectKey& key, Bytes object) override {
    entries_[key.part] = std::string(object);
  }
  void Expect(absl::Span<const ObjectKey> keys) override {
    for (const ObjectKey& key : keys) expected.emplace_back(key.signature);
  }

  std::vector<std::string> expected;  // The signatures.

 private:
  std::map<ModulePart, std::string> entries_;
};

TEST(ServedCacheTest, WaitsForOthersIfTheModuleIsNotKnown) {
  IgnorantServer server;
  ServedCache cache({server.path(), absl::Seconds(30), ""}, "settings", nullptr);
  EXPECT_FALSE(cache.Find({"a.bc", "signature", kIndex}).has_value());
  EXPECT_THAT(server.patiences(), ElementsAre(Gt(0u)));
  // It is asked once.
  EXPECT_FALSE(cache.Find({"a.bc", "signature", kFunction}).has_value());
  EXPECT_THAT(server.patiences(), ElementsAre(Gt(0u)));
}

TEST(ServedCacheTest, WaitsForNobodyIfTheFrontHasCodeOfTheModule) {
  IgnorantServer server;
  const auto front = std::make_shared<MemoryCache>();
  front->Store({"a.bc", "signature", kIndex}, "index");
  front->Store({"a.bc", "signature", kOtherFunction}, "function");
  ServedCache cache({server.path(), absl::Seconds(30), ""}, "settings", front);
  EXPECT_TRUE(cache.Find({"a.bc", "signature", kIndex}).has_value());
  EXPECT_TRUE(cache.Find({"a.bc", "signature", kOtherFunction}).has_value());
  EXPECT_THAT(server.patiences(), IsEmpty());
  EXPECT_FALSE(cache.Find({"a.bc", "signature", kFunction}).has_value());
  EXPECT_THAT(server.patiences(), ElementsAre(0u));
}

// As after a run that was killed before it had stored code.
TEST(ServedCacheTest, WaitsForOthersIfTheFrontHasTheIndexAndNoCode) {
  IgnorantServer server;
  const auto front = std::make_shared<MemoryCache>();
  front->Store({"a.bc", "signature", kIndex}, "index");
  ServedCache cache({server.path(), absl::Seconds(30), ""}, "settings", front);
  EXPECT_TRUE(cache.Find({"a.bc", "signature", kIndex}).has_value());
  EXPECT_THAT(server.patiences(), IsEmpty());
  // Modules with few functions have no start object.
  EXPECT_FALSE(cache.Find({"a.bc", "signature", kStart}).has_value());
  EXPECT_THAT(server.patiences(), ElementsAre(0u));
  EXPECT_FALSE(cache.Find({"a.bc", "signature", kFunction}).has_value());
  EXPECT_THAT(server.patiences(), ElementsAre(0u, Gt(0u)));
  EXPECT_FALSE(cache.Find({"a.bc", "signature", kOtherFunction}).has_value());
  EXPECT_FALSE(cache.Find({"a.bc", "signature", kStart}).has_value());
  EXPECT_THAT(server.patiences(), ElementsAre(0u, Gt(0u)));
}

TEST(ServedCacheTest, TheFrontIsToldWhatIsExpected) {
  IgnorantServer server;
  const auto front = std::make_shared<MemoryCache>();
  ServedCache cache({server.path(), absl::Seconds(30), ""}, "settings", front);
  cache.Expect({{"a.bc", "signature", kIndex}, {"b.bc", "other", kIndex}});
  EXPECT_THAT(front->expected, ElementsAre("signature", "other"));
  EXPECT_THAT(server.patiences(), IsEmpty());
  ServedCache({server.path(), absl::Seconds(30), ""}, "settings", nullptr)
      .Expect({{"a.bc", "signature", kIndex}});
  EXPECT_THAT(server.patiences(), IsEmpty());
}

TEST(ServedCacheTest, WhetherItHasSomethingIsNotAskedOfTheServer) {
  IgnorantServer server;
  ServedCache cache({server.path(), absl::Seconds(30), ""}, "settings", nullptr);
  EXPECT_FALSE(cache.Has({"a.bc", "signature", kFunction}));
  EXPECT_THAT(server.patiences(), IsEmpty());
}

}  // namespace
}  // namespace firstcall

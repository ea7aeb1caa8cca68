// Connections that fail while files come from a server: at each instant, in each way, what is found
// is what was stored, or nothing, and takes no longer than the budget. And many clients and writers
// at once, which get what was stored.
//
// By hand, --faults=N sets how many random instants are tried, and --clients=N how many clients and
// writers there are:
//   bazel test --test_arg=--faults=1000 --test_arg=--clients=40 --test_timeout=3600
//       //tests/cache:server_faults_test

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cache/disk_cache.h"
#include "cache/open_shared_cache.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cache/cache_server.h"
#include "tests/cache/stored_objects.h"
#include "tests/testing/faulty_link.h"

namespace firstcall {
namespace {

using Fault = FaultyLink::Fault;

int fault_count = 60;
int client_count = 8;

constexpr absl::Duration kBudget = absl::Milliseconds(150);
// For a machine that does other things, too.
constexpr absl::Duration kMost = absl::Seconds(10);

class ServerFaultsTest : public ::testing::TestWithParam<CacheServer::Kind> {
 protected:
  void SetUp() override {
    if (const std::string missing = CacheServer::Missing(GetParam()); !missing.empty()) {
      GTEST_SKIP() << missing;
    }
    server_ = CacheServer::Start(GetParam());
    link_ = std::make_unique<FaultyLink>(server_->port());
    std::ofstream(::testing::TempDir() + "/key") << "the key";
    std::unique_ptr<SharedCache> cache = Connect(absl::Seconds(20));
    for (uint32_t i = 0; i < 40; ++i) Store(*cache, Function(i), ObjectOf(i));
    for (const std::string& signature : others_) {
      Store(*cache, Function(1), ObjectOf(1) + signature, signature);
    }
  }

  static std::string ObjectOf(uint32_t i) {
    return absl::StrCat("object ", i, std::string(i * 40, 'x'));
  }

  std::unique_ptr<SharedCache> Connect(absl::Duration budget,
                                       std::shared_ptr<ObjectCache> front = nullptr) {
    SharedCacheSettings settings = server_->Trust();
    settings.emplace_back("key-file", ::testing::TempDir() + "/key");
    settings.emplace_back("budget", absl::StrCat(absl::ToInt64Milliseconds(budget)));
    return OpenSharedCache(server_->Url(link_->port()), settings, std::move(front),
                           [this](absl::string_view message) {
                             absl::MutexLock lock(&warnings_mutex_);
                             warnings_.emplace_back(message);
                           })
        .value();
  }

  // Asks for all modules at once, as a start does, and returns how many of these are found:
  // functions of the first module, and one of each other module. What is found must be right.
  int FindAll(SharedCache& cache) const {
    std::vector<std::string> all = others_;
    all.emplace_back("signature");
    Expect(cache, all);
    int found = 0;
    const auto check = [&](const std::string& object, const std::string& expected) {
      EXPECT_THAT(object, ::testing::AnyOf(expected, "(none)"));
      if (object == expected) ++found;
    };
    for (const uint32_t i : {3, 39}) check(Find(cache, Function(i)), ObjectOf(i));
    for (const std::string& signature : others_) {
      check(Find(cache, Function(1), signature), ObjectOf(1) + signature);
    }
    return found;
  }

  const std::vector<std::string> others_ = {"a", "b", "c", "d"};
  std::unique_ptr<CacheServer> server_;
  std::unique_ptr<FaultyLink> link_;
  absl::Mutex warnings_mutex_;  // For tests whose caches have threads of their own.
  std::vector<std::string> warnings_;
};

INSTANTIATE_TEST_SUITE_P(Servers, ServerFaultsTest,
                         ::testing::Values(CacheServer::Kind::kHttp, CacheServer::Kind::kHttps,
                                           CacheServer::Kind::kRedis,
                                           CacheServer::Kind::kRedisWithTls),
                         [](const auto& kind) { return CacheServer::NameOf(kind.param); });

TEST_P(ServerFaultsTest, NothingElseThanWhatWasStoredIsFound) {
  link_->Use({});
  ASSERT_EQ(FindAll(*Connect(absl::Seconds(20))), 6);
  const uint64_t bytes = link_->bytes();
  ASSERT_GT(bytes, 30000u);
  std::mt19937_64 random(7);
  int found = 0;
  for (int i = 0; i < fault_count; ++i) {
    FaultyLink::Plan plan;
    constexpr Fault kFaults[] = {Fault::kClose, Fault::kHang, Fault::kSlow, Fault::kDamage};
    plan.fault = kFaults[random() % 4];
    // Half of them before the pack's entries begin.
    plan.fault_after = random() % (random() % 2 == 0 ? bytes : 4000);
    link_->Use(plan);
    warnings_.clear();
    const absl::Time start = absl::Now();
    {
      std::unique_ptr<SharedCache> cache = Connect(kBudget);
      found += FindAll(*cache);
      Store(*cache, Function(50), "a new one");
    }
    EXPECT_LT(absl::Now() - start, kMost);
    EXPECT_LE(warnings_.size(), 1u);
  }
  // Whatever was damaged on its way is as it was on the server, or was replaced by what is right.
  link_->Use({});
  warnings_.clear();
  std::unique_ptr<SharedCache> cache = Connect(absl::Seconds(20));
  (void)FindAll(*cache);
  EXPECT_EQ(warnings_.size(), 0u);
  RecordProperty("found", found);
}

TEST_P(ServerFaultsTest, ServerThatIsKilledOrStoppedAtAnyInstantIsAMiss) {
  std::mt19937_64 random(11);
  for (int i = 0; i < fault_count / 10; ++i) {
    warnings_.clear();
    std::unique_ptr<SharedCache> cache = Connect(kBudget);
    FaultyLink::Plan plan;
    plan.round_trip = absl::Milliseconds(random() % 40);
    link_->Use(plan);
    std::thread other([&] {
      absl::SleepFor(absl::Microseconds(random() % 60000));
      server_->Stop();
    });
    const absl::Time start = absl::Now();
    (void)FindAll(*cache);
    cache = nullptr;
    EXPECT_LT(absl::Now() - start, kMost);
    other.join();
    server_->Continue();
    EXPECT_LE(warnings_.size(), 1u);
  }
}

TEST_P(ServerFaultsTest, WritersWhoseAnswersAreLostDoNoHarm) {
  std::mt19937_64 random(13);
  for (int i = 0; i < fault_count / 10; ++i) {
    FaultyLink::Plan plan;
    plan.fault = Fault::kClose;
    plan.fault_after = random() % 40000;
    link_->Use(plan);
    Store(*Connect(absl::Seconds(5)), Function(3), ObjectOf(3));
  }
  link_->Use({});
  warnings_.clear();
  std::unique_ptr<SharedCache> cache = Connect(absl::Seconds(20));
  for (uint32_t i = 0; i < 40; ++i) EXPECT_EQ(Find(*cache, Function(i)), ObjectOf(i));
  EXPECT_EQ(warnings_.size(), 0u);
}

TEST_P(ServerFaultsTest, ClientsAndWritersAtOnceGetAndLeaveWhatIsRight) {
  link_->Use({});
  std::vector<std::string> homes;
  for (int i = 0; i < client_count; ++i) {
    homes.push_back(absl::StrCat(::testing::TempDir(), "/home_of_client_", i));
    std::filesystem::remove_all(homes.back());
  }
  std::atomic<int> complete = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < client_count; ++i) {
    threads.emplace_back([&, i] {
      std::unique_ptr<SharedCache> client =
          Connect(absl::Minutes(5), DiskCache::Open(homes[i], {}).value());
      if (FindAll(*client) == 6) ++complete;
    });
    threads.emplace_back([&, i] {
      std::unique_ptr<SharedCache> writer = Connect(absl::Minutes(5));
      Store(*writer, Function(1), "the same", "many");
      Store(*writer, Function(100 + i), ObjectOf(i), "many");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(complete, client_count);
  std::unique_ptr<SharedCache> cache = Connect(absl::Minutes(5));
  EXPECT_EQ(Find(*cache, Function(1), "many"), "the same");
  // A writer gives up after some attempts.
  int kept = 0;
  for (int i = 0; i < client_count; ++i) {
    const std::string object = Find(*cache, Function(100 + i), "many");
    EXPECT_THAT(object, ::testing::AnyOf(ObjectOf(i), "(none)"));
    if (object == ObjectOf(i)) ++kept;
  }
  EXPECT_GE(kept, 1);
  RecordProperty("kept", kept);
  std::printf("%d clients found all, and what %d of %d writers stored is kept\n", complete.load(),
              kept, client_count);
  EXPECT_THAT(warnings_, ::testing::IsEmpty());
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    int* number = nullptr;
    if (absl::ConsumePrefix(&argument, "--faults=")) number = &firstcall::fault_count;
    if (absl::ConsumePrefix(&argument, "--clients=")) number = &firstcall::client_count;
    if (number == nullptr || !absl::SimpleAtoi(argument, number)) return 2;
  }
  return RUN_ALL_TESTS();
}

// Memory managers made of C callbacks: all of them, some of them, ones that use the engine's own
// memory, and ones that fail or do not keep the contract.

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/capi/firstcall.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/executor_address.h"
#include "memory/system_pages.h"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kPage = 4096;
size_t WholePages(size_t size) { return (size + kPage) / kPage * kPage; }

// Pages for each block, within reach of what it has to be near, executable after finalization.
class Pages {
 public:
  Pages() = default;
  ~Pages() {
    for (const Region& region : regions_) munmap(region.begin, kSize);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  void* Take(size_t size, uintptr_t near_address) {
    std::lock_guard lock(mutex_);
    Region& region = RegionNear(near_address);
    void* const taken = region.begin + region.used;
    region.used += WholePages(size);
    EXPECT_LE(region.used, kSize);
    live_[taken] = size;
    return taken;
  }

  void Protect(void* at, size_t size, int protection) {
    EXPECT_EQ(mprotect(at, WholePages(size), protection), 0);
  }

  void Free(void* at) {
    std::lock_guard lock(mutex_);
    auto found = live_.find(at);
    ASSERT_NE(found, live_.end()) << "freed twice, or never given";
    // Whoever still runs or reads it will notice.
    EXPECT_EQ(mprotect(at, WholePages(found->second), PROT_NONE), 0);
    live_.erase(found);
  }

  bool Contains(const void* at) const {
    std::lock_guard lock(mutex_);
    return std::any_of(regions_.begin(), regions_.end(), [at](const Region& region) {
      return at >= region.begin && at < region.begin + kSize;
    });
  }
  size_t live() const {
    std::lock_guard lock(mutex_);
    return live_.size();
  }

 private:
  static constexpr size_t kSize = 64 << 20;
  static constexpr intptr_t kReach = intptr_t{1900} << 20;

  struct Region {
    char* begin = nullptr;
    size_t used = 0;
  };

  Region& RegionNear(uintptr_t address) {
    const auto is_near = [address](const Region& region) {
      const auto distance =
          reinterpret_cast<intptr_t>(region.begin) - static_cast<intptr_t>(address);
      return address == 0 || (distance < kReach && distance > -kReach);
    };
    auto found = std::find_if(regions_.begin(), regions_.end(), is_near);
    if (found != regions_.end()) return *found;
    uint8_t* begin =
        firstcall::ReserveAddressesNear(kSize, firstcall::ExecutorAddress(address)).value();
    EXPECT_EQ(mprotect(begin, kSize, PROT_READ | PROT_WRITE), 0);
    return regions_.emplace_back(Region{reinterpret_cast<char*>(begin)});
  }

  mutable std::mutex mutex_;
  std::vector<Region> regions_;
  std::map<void*, size_t> live_;
};

// A client of the C API.
struct Client {
  Pages pages;
  std::mutex mutex;
  int code_requests = 0;
  int data_requests = 0;
  int read_only_requests = 0;
  int finalized = 0;
  int freed = 0;
  int own_blocks_seen = 0;
  int destroyed = 0;
  // The request that fails, counted from 1; 0: none.
  int failing_request = 0;
  int failing_finalization = 0;
  int requests = 0;
  int finalizations = 0;
  size_t misalignment = 0;
  bool gives_nothing = false;
  bool gives_two_addresses = false;

  static Client& From(void* user_data) { return *static_cast<Client*>(user_data); }

  // With the mutex locked.
  fc_error* Take(const fc_memory_request* request, fc_memory_block* block) {
    EXPECT_EQ(request->struct_size, sizeof(fc_memory_request));
    EXPECT_NE(request->section, nullptr);
    EXPECT_LE(request->alignment, kPage);
    if (++requests == failing_request) return fc_error_create(FC_RESOURCE_EXHAUSTED, "no more");
    if (gives_nothing) return nullptr;
    block->write =
        static_cast<char*>(pages.Take(request->size + misalignment, request->near_address)) +
        misalignment;
    if (gives_two_addresses) {
      block->run = reinterpret_cast<uintptr_t>(block->write) + kPage;
    }
    return nullptr;
  }

  static fc_error* AllocateCode(void* user_data, fc_own_memory*, const fc_memory_request* request,
                                fc_memory_block* block) {
    EXPECT_EQ(request->segment, FC_SEGMENT_CODE);
    Client& client = From(user_data);
    std::lock_guard lock(client.mutex);
    ++client.code_requests;
    return client.Take(request, block);
  }
  static fc_error* AllocateData(void* user_data, fc_own_memory*, const fc_memory_request* request,
                                int read_only, fc_memory_block* block) {
    EXPECT_EQ(request->segment, read_only ? FC_SEGMENT_READ_ONLY : FC_SEGMENT_DATA);
    Client& client = From(user_data);
    std::lock_guard lock(client.mutex);
    ++client.data_requests;
    if (read_only) ++client.read_only_requests;
    return client.Take(request, block);
  }
  static fc_error* Finalize(void* user_data, fc_own_memory*, const fc_memory_block* blocks,
                            size_t count) {
    Client& client = From(user_data);
    std::lock_guard lock(client.mutex);
    if (++client.finalizations == client.failing_finalization) {
      return fc_error_create(FC_INTERNAL, "cannot protect");
    }
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(blocks[i].is_engines_own == 0, client.pages.Contains(blocks[i].write));
      if (blocks[i].is_engines_own) {
        ++client.own_blocks_seen;
        continue;
      }
      ++client.finalized;
      if (blocks[i].segment == FC_SEGMENT_DATA) continue;
      client.pages.Protect(
          blocks[i].write, blocks[i].size,
          blocks[i].segment == FC_SEGMENT_CODE ? PROT_READ | PROT_EXEC : PROT_READ);
    }
    return nullptr;
  }
  static void Free(void* user_data, fc_own_memory*, const fc_memory_block* blocks, size_t count) {
    Client& client = From(user_data);
    std::lock_guard lock(client.mutex);
    for (size_t i = 0; i < count; ++i) {
      if (blocks[i].is_engines_own) {
        ++client.own_blocks_seen;
        continue;
      }
      ++client.freed;
      if (blocks[i].write != nullptr) {
        client.pages.Free(static_cast<char*>(blocks[i].write) - client.misalignment);
      }
    }
  }
  static void Destroy(void* user_data) { ++From(user_data).destroyed; }

  fc_memory_manager All() {
    return {sizeof(fc_memory_manager), this, AllocateCode, AllocateData, Finalize, Free, Destroy};
  }
};

// What went wrong last, for handlers.
std::string last_failure;
int Replacement(int) { return -1; }
uintptr_t OnFailure(void*, const fc_failed_call* call) {
  last_failure = call->message;
  return reinterpret_cast<uintptr_t>(&Replacement);
}

fc_engine* MakeEngine(const fc_memory_manager& manager, fc_mode mode = FC_MODE_LAZY) {
  fc_options* options = fc_options_create();
  fc_options_set_mode(options, mode);
  fc_options_set_memory_manager(options, &manager);
  fc_options_set_failure_handler(options, OnFailure, nullptr);
  fc_engine* engine = nullptr;
  EXPECT_EQ(fc_engine_create(options, &engine), nullptr);
  fc_options_free(options);
  return engine;
}

constexpr char kProgram[] = R"(
  @count = internal global i32 10
  @text = private constant [3 x i8] c"ab\00"
  define i32 @next(i32 %by) {
    %old = load i32, ptr @count
    %new = add i32 %old, %by
    store i32 %new, ptr @count
    ret i32 %new
  }
  define i32 @character(i32 %i) {
    %p = getelementptr [3 x i8], ptr @text, i32 0, i32 %i
    %c = load i8, ptr %p
    %r = zext i8 %c to i32
    ret i32 %r
  }
)";

fc_module_id Add(fc_engine* engine, const std::string& text = kProgram) {
  fc_module_id id = 0;
  EXPECT_EQ(fc_engine_add_assembly(engine, text.data(), text.size(), "m", &id), nullptr);
  return id;
}

int Call(fc_engine* engine, const char* name, int argument) {
  uintptr_t address = 0;
  EXPECT_EQ(fc_engine_lookup(engine, name, &address), nullptr);
  return address == 0 ? -2 : reinterpret_cast<int (*)(int)>(address)(argument);
}

void ExpectItRuns(fc_engine* engine) {
  EXPECT_EQ(Call(engine, "next", 5), 15) << last_failure;
  EXPECT_EQ(Call(engine, "next", 1), 16) << last_failure;
  EXPECT_EQ(Call(engine, "character", 1), 'b') << last_failure;
}

class ClientMemoryTest : public testing::TestWithParam<fc_mode> {
 protected:
  ClientMemoryTest() { last_failure.clear(); }
};

INSTANTIATE_TEST_SUITE_P(Modes, ClientMemoryTest, testing::Values(FC_MODE_LAZY, FC_MODE_EAGER));

TEST_P(ClientMemoryTest, EverythingIsTheClients) {
  Client client;
  fc_engine* engine = MakeEngine(client.All(), GetParam());
  const fc_module_id id = Add(engine);
  ExpectItRuns(engine);
  EXPECT_GT(client.code_requests, 0);
  EXPECT_GT(client.data_requests, client.read_only_requests);
  EXPECT_GT(client.read_only_requests, 0);
  EXPECT_EQ(client.own_blocks_seen, 0);
  EXPECT_EQ(client.freed, 0);
  EXPECT_GT(client.pages.live(), 0u);
  EXPECT_EQ(fc_engine_remove(engine, id), nullptr);
  EXPECT_EQ(client.pages.live(), 0u);
  // The handle of a module is freed, but has nothing to be finalized.
  EXPECT_EQ(client.freed, client.finalized + 1);
  EXPECT_EQ(client.destroyed, 0);
  fc_engine_destroy(engine);
  EXPECT_EQ(client.destroyed, 1);
}

TEST_P(ClientMemoryTest, DetachedCodeKeepsTheManager) {
  Client client;
  fc_engine* engine = MakeEngine(client.All(), GetParam());
  const fc_module_id id = Add(engine);
  fc_code* code = nullptr;
  ASSERT_EQ(fc_engine_detach(engine, id, &code), nullptr);
  fc_engine_destroy(engine);
  EXPECT_EQ(client.destroyed, 0);
  uintptr_t address = 0;
  ASSERT_EQ(fc_code_lookup(code, "next", &address), nullptr);
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(address)(5), 15);
  fc_code_free(code);
  EXPECT_EQ(client.pages.live(), 0u);
  EXPECT_EQ(client.destroyed, 1);
}

TEST_P(ClientMemoryTest, NothingIsTheClients) {
  Client client;
  fc_memory_manager manager = {sizeof(manager), &client, nullptr,        nullptr,
                               nullptr,         nullptr, Client::Destroy};
  fc_engine* engine = MakeEngine(manager, GetParam());
  Add(engine);
  ExpectItRuns(engine);
  fc_engine_destroy(engine);
  EXPECT_EQ(client.destroyed, 1);
}

TEST_P(ClientMemoryTest, OnlyCodeIsTheClients) {
  Client client;
  fc_memory_manager manager = client.All();
  manager.allocate_data = nullptr;
  fc_engine* engine = MakeEngine(manager, GetParam());
  const fc_module_id id = Add(engine);
  ExpectItRuns(engine);
  EXPECT_GT(client.code_requests, 0);
  EXPECT_GT(client.own_blocks_seen, 0);
  EXPECT_EQ(fc_engine_remove(engine, id), nullptr);
  EXPECT_EQ(client.pages.live(), 0u);
  fc_engine_destroy(engine);
}

TEST_P(ClientMemoryTest, OnlyDataIsTheClients) {
  Client client;
  fc_memory_manager manager = client.All();
  manager.allocate_code = nullptr;
  fc_engine* engine = MakeEngine(manager, GetParam());
  const fc_module_id id = Add(engine);
  // Code comes first and lies in an arena. What is near it is the engine's to know.
  EXPECT_EQ(Call(engine, "next", 5), 15) << last_failure;
  EXPECT_EQ(fc_engine_remove(engine, id), nullptr);
  EXPECT_EQ(client.pages.live(), 0u);
  fc_engine_destroy(engine);
}

// Counts what goes through it.
struct Counter {
  std::mutex mutex;
  size_t bytes = 0;
  size_t most = 0;

  static fc_error* Allocate(void* user_data, fc_own_memory* own, const fc_memory_request* request,
                            fc_memory_block* block) {
    auto* counter = static_cast<Counter*>(user_data);
    if (fc_error* error = fc_own_allocate(own, request, block)) return error;
    EXPECT_NE(block->is_engines_own, 0);
    std::lock_guard lock(counter->mutex);
    counter->bytes += block->size;
    counter->most = std::max(counter->most, counter->bytes);
    return nullptr;
  }
  static fc_error* AllocateData(void* user_data, fc_own_memory* own,
                                const fc_memory_request* request, int, fc_memory_block* block) {
    return Allocate(user_data, own, request, block);
  }
  static void Free(void* user_data, fc_own_memory* own, const fc_memory_block* blocks,
                   size_t count) {
    auto* counter = static_cast<Counter*>(user_data);
    std::lock_guard lock(counter->mutex);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_NE(blocks[i].is_engines_own, 0);
      counter->bytes -= blocks[i].size;
    }
    // The engine has them; they cannot be freed twice.
    fc_own_free(own, blocks, count);
  }
};

TEST_P(ClientMemoryTest, CallbacksMayPassOnWhatTheEngineGives) {
  Counter counter;
  fc_memory_manager manager = {
      sizeof(manager), &counter, Counter::Allocate, Counter::AllocateData, nullptr,
      Counter::Free,   nullptr};
  fc_engine* engine = MakeEngine(manager, GetParam());
  for (int i = 0; i < 3; ++i) {
    const fc_module_id id = Add(engine);
    ExpectItRuns(engine);
    EXPECT_GT(counter.bytes, 0u);
    EXPECT_EQ(fc_engine_remove(engine, id), nullptr);
    EXPECT_EQ(counter.bytes, 0u);
  }
  fc_engine_destroy(engine);
  EXPECT_GT(counter.most, 0u);
}

// Gives away pieces of blocks it got from the engine and keeps the rest to itself.
struct Carver {
  std::mutex mutex;
  std::map<uintptr_t, fc_memory_block> whole;  // By the address of the piece.
  static constexpr size_t kFront = 64;

  static fc_error* Allocate(void* user_data, fc_own_memory* own, const fc_memory_request* request,
                            fc_memory_block* block) {
    auto* carver = static_cast<Carver*>(user_data);
    fc_memory_request larger = *request;
    const size_t front = std::max(kFront, request->alignment);
    larger.size += front;
    fc_memory_block whole;
    if (fc_error* error = fc_own_allocate(own, &larger, &whole)) return error;
    block->write = static_cast<char*>(whole.write) + front;
    block->run = whole.run + front;
    std::lock_guard lock(carver->mutex);
    carver->whole[block->run] = whole;
    return nullptr;
  }
  static fc_error* AllocateData(void* user_data, fc_own_memory* own,
                                const fc_memory_request* request, int, fc_memory_block* block) {
    return Allocate(user_data, own, request, block);
  }
  static fc_error* Finalize(void* user_data, fc_own_memory* own, const fc_memory_block* blocks,
                            size_t count) {
    auto* carver = static_cast<Carver*>(user_data);
    std::lock_guard lock(carver->mutex);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(blocks[i].is_engines_own, 0);
      fc_error* error = fc_own_finalize(own, blocks + i, 1);
      EXPECT_EQ(fc_error_get_code(error), FC_INVALID_ARGUMENT) << "a piece is not a block";
      fc_error_free(error);
      if (fc_error* failed = fc_own_finalize(own, &carver->whole.at(blocks[i].run), 1)) {
        return failed;
      }
    }
    return nullptr;
  }
  static void Free(void* user_data, fc_own_memory* own, const fc_memory_block* blocks,
                   size_t count) {
    auto* carver = static_cast<Carver*>(user_data);
    std::lock_guard lock(carver->mutex);
    for (size_t i = 0; i < count; ++i) {
      auto found = carver->whole.find(blocks[i].run);
      ASSERT_NE(found, carver->whole.end());
      fc_own_free(own, &found->second, 1);
      carver->whole.erase(found);
    }
  }
};

TEST_P(ClientMemoryTest, CallbacksMayKeepBlocksOfTheEngines) {
  Carver carver;
  fc_memory_manager manager = {
      sizeof(manager),  &carver,      Carver::Allocate, Carver::AllocateData,
      Carver::Finalize, Carver::Free, nullptr};
  fc_engine* engine = MakeEngine(manager, GetParam());
  fc_statistics before = {};
  before.struct_size = sizeof(before);
  size_t used = 0;
  for (int i = 0; i < 3; ++i) {
    const fc_module_id id = Add(engine);
    ExpectItRuns(engine);
    EXPECT_FALSE(carver.whole.empty());
    EXPECT_EQ(fc_engine_remove(engine, id), nullptr);
    EXPECT_THAT(carver.whole, IsEmpty());
    ASSERT_EQ(fc_engine_get_statistics(engine, &before), nullptr);
    // The first round has made a block of stubs.
    if (i > 0) {
      EXPECT_EQ(before.memory_used, used);
    }
    used = before.memory_used;
  }
  fc_engine_destroy(engine);
}

// The Nth allocation or finalization fails, for every N: an error each time, and nothing is lost.
TEST_P(ClientMemoryTest, FailuresAreReportedAndLeaveNothingBehind) {
  for (const bool in_finalize : {false, true}) {
    int n = 1;
    for (; n < 100; ++n) {
      Client client;
      (in_finalize ? client.failing_finalization : client.failing_request) = n;
      fc_engine* engine = MakeEngine(client.All(), GetParam());
      fc_error* error = fc_engine_add_assembly(engine, kProgram, strlen(kProgram), "m", nullptr);
      if (error == nullptr) error = fc_engine_prepare_all(engine, nullptr);
      const bool has_failed = error != nullptr;
      if (has_failed) {
        EXPECT_EQ(fc_error_get_code(error), in_finalize ? FC_INTERNAL : FC_RESOURCE_EXHAUSTED);
        EXPECT_THAT(fc_error_get_message(error),
                    HasSubstr(in_finalize ? "cannot protect" : "no more"));
      }
      fc_error_free(error);
      fc_engine_destroy(engine);
      EXPECT_EQ(client.pages.live(), 0u) << n;
      if (!has_failed) break;
    }
    EXPECT_GT(n, 1);
    EXPECT_LT(n, 100);
  }
}

TEST_P(ClientMemoryTest, BrokenPromisesAreReported) {
  const auto failure_of = [](auto break_it) {
    Client client;
    break_it(client);
    fc_engine* engine = MakeEngine(client.All(), GetParam());
    fc_error* error = fc_engine_add_assembly(engine, kProgram, strlen(kProgram), "m", nullptr);
    if (error == nullptr) error = fc_engine_prepare_all(engine, nullptr);
    EXPECT_EQ(fc_error_get_code(error), FC_INTERNAL);
    const std::string message = fc_error_get_message(error);
    fc_error_free(error);
    fc_engine_destroy(engine);
    EXPECT_EQ(client.pages.live(), 0u);
    return message;
  };
  EXPECT_THAT(failure_of([](Client& client) { client.gives_nothing = true; }),
              HasSubstr("has returned no address to write at"));
  EXPECT_THAT(failure_of([](Client& client) { client.misalignment = 1; }),
              HasSubstr("which is not aligned to"));
  EXPECT_THAT(failure_of([](Client& client) { client.gives_two_addresses = true; }),
              HasSubstr("two addresses for writable data"));
}

TEST(OwnMemoryTest, RequestsAreChecked) {
  static std::vector<std::string> messages;
  messages.clear();
  fc_memory_manager manager = {};
  manager.struct_size = sizeof(manager);
  manager.allocate_code = [](void*, fc_own_memory* own, const fc_memory_request* request,
                             fc_memory_block* block) -> fc_error* {
    const auto attempt = [&](fc_own_memory* memory, const fc_memory_request* tried) {
      fc_error* error = fc_own_allocate(memory, tried, block);
      messages.emplace_back(fc_error_get_message(error));
      fc_error_free(error);
    };
    fc_memory_request wrong = *request;
    wrong.alignment = 3;
    attempt(own, &wrong);
    wrong = *request;
    wrong.segment = static_cast<fc_segment>(5);
    attempt(own, &wrong);
    wrong = *request;
    wrong.struct_size = 0;
    attempt(own, &wrong);
    attempt(nullptr, request);
    return fc_own_allocate(own, request, block);
  };
  fc_engine* engine = MakeEngine(manager);
  Add(engine);
  EXPECT_EQ(Call(engine, "character", 0), 'a');
  EXPECT_THAT(messages, ElementsAre("allocating memory: the alignment 3 is not a power of two",
                                    "allocating memory: there is no segment 5",
                                    "the struct_size of a fc_memory_request is 0",
                                    "fc_own_allocate: own is null"));
  fc_engine_destroy(engine);
}

TEST(MemoryOptionsTest, DestroyComesOnceForAllEnginesOfTheOptions) {
  Client client;
  fc_options* options = fc_options_create();
  const fc_memory_manager manager = client.All();
  fc_options_set_memory_manager(options, &manager);
  fc_engine* engines[2] = {};
  for (fc_engine*& engine : engines) ASSERT_EQ(fc_engine_create(options, &engine), nullptr);
  fc_options_free(options);
  fc_engine_destroy(engines[0]);
  EXPECT_EQ(client.destroyed, 0);
  fc_engine_destroy(engines[1]);
  EXPECT_EQ(client.destroyed, 1);
}

TEST(MemoryOptionsTest, ReplacedManagersAreDestroyed) {
  Client client;
  fc_options* options = fc_options_create();
  fc_memory_manager manager = client.All();
  fc_options_set_memory_manager(options, &manager);
  fc_options_set_memory_manager(options, nullptr);
  EXPECT_EQ(client.destroyed, 1);
  manager.struct_size = 0;
  fc_options_set_memory_manager(options, &manager);
  fc_engine* engine = nullptr;
  fc_error* error = fc_engine_create(options, &engine);
  EXPECT_STREQ(fc_error_get_message(error), "the struct_size of a fc_memory_manager is 0");
  fc_error_free(error);
  fc_options_free(options);
}

// A client that knows only the first callback.
TEST(MemoryOptionsTest, ShorterStructs) {
  Client client;
  fc_memory_manager manager = client.All();
  manager.struct_size = offsetof(fc_memory_manager, allocate_data);
  manager.allocate_code = nullptr;
  fc_engine* engine = MakeEngine(manager);
  Add(engine);
  ExpectItRuns(engine);
  fc_engine_destroy(engine);
  EXPECT_EQ(client.data_requests, 0);
  EXPECT_EQ(client.destroyed, 0);
}

TEST_P(ClientMemoryTest, ThreadsLinkAtOnce) {
  Client client;
  fc_engine* engine = MakeEngine(client.All(), GetParam());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([engine, t] {
      for (int i = 0; i < 20; ++i) {
        const std::string name = absl::StrCat("f", t, "_", i);
        const fc_module_id id =
            Add(engine, absl::StrCat("@v", name, " = global i32 ", i, " define i32 @", name,
                                     "(i32 %x) { %v = load i32, ptr @v", name,
                                     " %r = add i32 %x, %v ret i32 %r }"));
        EXPECT_EQ(Call(engine, name.c_str(), 3), i + 3);
        if (i % 2 == 0) {
          EXPECT_EQ(fc_engine_remove(engine, id), nullptr);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  fc_engine_destroy(engine);
  EXPECT_EQ(client.pages.live(), 0u);
}

}  // namespace

#include "stubs/stub_table.h"

#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/unwind_registry.h"
#include "stubs/stub_architecture.h"
#include "tests/testing/forwarding_mapper.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

// As a stub's owner: says where the first call goes, and notes that it was asked.
struct Function {
  int (*body)(int) = nullptr;
  int first_calls = 0;
  Stub stub = Stub();

  ExecutorAddress body_address() const {
    return ExecutorAddress::Of(reinterpret_cast<const void*>(body));
  }
  int operator()(int argument) const {
    return stub.address().InThisProcess<int (*)(int)>()(argument);
  }
};

ExecutorAddress GoToBody(const std::atomic<void*>& owner) {
  auto* function = static_cast<Function*>(owner.load());
  ++function->first_calls;
  return function->body_address();
}

ExecutorAddress PublishAndGoToBody(const std::atomic<void*>& owner) {
  auto* function = static_cast<Function*>(owner.load());
  function->stub.Publish(function->body_address());
  return GoToBody(owner);
}

ExecutorAddress Throw(const std::atomic<void*>& owner) {
  ++static_cast<Function*>(owner.load())->first_calls;
  throw std::runtime_error("from the handler");
}

int PlusOne(int x) { return x + 1; }
int TimesTwo(int x) { return x * 2; }
int ThrowFromBody(int x) { throw x; }

class StubTableTest : public testing::Test {
 protected:
  StubTable& WithHandler(StubTable::FirstCallHandler handler) {
    return WithHandler(handler, {1 << 20, 1 << 20, 1 << 20});
  }

  StubTable& WithHandler(StubTable::FirstCallHandler handler, const ArenaSizes& sizes) {
    memory_ = ArenaMemory::Create(std::make_shared<SingleSlabMapper>(), {sizes}).value();
    table_ =
        std::make_unique<StubTable>(HostStubArchitecture(), memory_, unwind_registry_, handler);
    return *table_;
  }

  static void MakeStub(StubTable& table, Function& function) {
    absl::StatusOr<Stub> stub = table.Make(&function);
    ASSERT_THAT(stub, IsOk());
    function.stub = *stub;
  }

  std::shared_ptr<ArenaMemory> memory_;
  const std::shared_ptr<UnwindRegistry> unwind_registry_ = std::make_shared<UnwindRegistry>();
  std::unique_ptr<StubTable> table_;
};

TEST_F(StubTableTest, UnpublishedStubAsksTheHandlerAtEachCall) {
  Function function{PlusOne};
  MakeStub(WithHandler(&GoToBody), function);
  EXPECT_EQ(function(41), 42);
  function.body = TimesTwo;
  EXPECT_EQ(function(41), 82);
  EXPECT_EQ(function.first_calls, 2);
}

TEST_F(StubTableTest, PublishedStubAsksNobody) {
  Function function{PlusOne};
  MakeStub(WithHandler(&PublishAndGoToBody), function);
  EXPECT_EQ(function(1), 2);
  EXPECT_EQ(function(2), 3);
  EXPECT_EQ(function.first_calls, 1);
}

TEST_F(StubTableTest, BodyMayBePublishedBeforeTheFirstCallAndReplaced) {
  Function function{PlusOne};
  MakeStub(WithHandler(&GoToBody), function);
  const ExecutorAddress address = function.stub.address();
  function.stub.Publish(function.body_address());
  EXPECT_EQ(function(10), 11);
  function.body = TimesTwo;
  function.stub.Publish(function.body_address());
  EXPECT_EQ(function(10), 20);
  EXPECT_EQ(function.first_calls, 0);
  EXPECT_EQ(function.stub.address(), address);
}

// More than fit into one block (127), so that each of several blocks knows its own owners.
TEST_F(StubTableTest, EveryStubOfSeveralBlocksHasItsOwnOwner) {
  constexpr size_t kCount = 300;
  StubTable& table = WithHandler(&PublishAndGoToBody);
  std::vector<Function> functions(kCount);
  std::set<uint64_t> addresses;
  for (size_t i = 0; i < kCount; ++i) {
    functions[i].body = i % 2 == 0 ? PlusOne : TimesTwo;
    MakeStub(table, functions[i]);
    addresses.insert(functions[i].stub.address().value());
  }
  EXPECT_EQ(table.size(), kCount);
  EXPECT_EQ(addresses.size(), kCount);
  for (int round = 0; round < 2; ++round) {
    for (size_t i = kCount; i-- > 0;) {
      ASSERT_EQ(functions[i](7), i % 2 == 0 ? 8 : 14) << "stub " << i;
      ASSERT_EQ(functions[i].first_calls, 1) << "stub " << i;
    }
  }
}

TEST_F(StubTableTest, StubsLieInTheArena) {
  Function function{PlusOne};
  MakeStub(WithHandler(&GoToBody), function);
  EXPECT_TRUE(memory_->first().Contains(function.stub.address()));
}

TEST_F(StubTableTest, HandlerMayThrowToTheCaller) {
  Function function{PlusOne};
  MakeStub(WithHandler(&Throw), function);
  for (int i = 1; i <= 2; ++i) {
    std::string caught;
    try {
      function(1);
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    EXPECT_EQ(caught, "from the handler");
    EXPECT_EQ(function.first_calls, i);
  }
}

TEST_F(StubTableTest, BodyMayThrowToTheCaller) {
  Function function{ThrowFromBody};
  MakeStub(WithHandler(&PublishAndGoToBody), function);
  for (int i = 0; i < 2; ++i) {  // By way of the reentry, then by way of the stub alone.
    int caught = 0;
    try {
      function(5);
    } catch (int value) {
      caught = value;
    }
    EXPECT_EQ(caught, 5);
  }
}

Function inner_function;

TEST_F(StubTableTest, HandlerMayCallOtherStubs) {
  StubTable& table = WithHandler([](const std::atomic<void*>& owner) {
    if (owner != &inner_function) {
      EXPECT_EQ(inner_function(20), 21);
    }
    return GoToBody(owner);
  });
  inner_function.body = PlusOne;
  MakeStub(table, inner_function);
  Function outer{TimesTwo};
  MakeStub(table, outer);
  EXPECT_EQ(outer(20), 40);
  EXPECT_EQ(inner_function.first_calls, 1);
}

TEST_F(StubTableTest, ThreadsMakeAndCallStubsAtOnce) {
  StubTable& table = WithHandler(&PublishAndGoToBody);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&table] {
      std::vector<Function> functions(100);
      for (Function& function : functions) {
        function.body = PlusOne;
        MakeStub(table, function);
        EXPECT_EQ(function(1), 2);
        EXPECT_EQ(function(2), 3);
        EXPECT_EQ(function.first_calls, 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(table.size(), 400u);
}

// Each of a block's three pieces may be the one that does not fit.
TEST_F(StubTableTest, FullArenaIsAnError) {
  for (const ArenaSizes& sizes :
       {ArenaSizes{4096, 1 << 20, 1 << 20}, ArenaSizes{1 << 20, 4096, 1 << 20},
        ArenaSizes{1 << 20, 1 << 20, 4096}}) {
    StubTable& table = WithHandler(&GoToBody, sizes);
    // Leaves less than a block needs in the page that is all there is.
    const Segment full = sizes.code == 4096        ? Segment::kCode
                         : sizes.read_only == 4096 ? Segment::kReadOnly
                                                   : Segment::kData;
    MemoryRequest request;
    request.segment = full;
    request.size = 4096 - 32;
    request.near = memory_->near_first();
    ASSERT_THAT(memory_->Allocate(request), IsOk());
    const size_t used = memory_->usage().used.total();
    Function function{PlusOne};
    for (int i = 0; i < 2; ++i) {
      EXPECT_THAT(table.Make(&function),
                  StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("no more slabs")));
      EXPECT_EQ(table.size(), 0u);
      EXPECT_EQ(memory_->usage().used.total(), used);
    }
  }
}

TEST_F(StubTableTest, StubsMadeBeforeTheArenaWasFullGoOn) {
  StubTable& table = WithHandler(&GoToBody, {8192, 1 << 20, 1 << 20});
  std::vector<std::unique_ptr<Function>> functions;
  absl::Status status;
  while (status.ok()) {
    functions.push_back(std::make_unique<Function>(Function{PlusOne}));
    absl::StatusOr<Stub> stub = table.Make(functions.back().get());
    status = stub.status();
    if (stub.ok()) functions.back()->stub = *stub;
  }
  functions.pop_back();
  EXPECT_EQ(table.size(), functions.size());
  EXPECT_GE(functions.size(), 127u);
  for (const auto& function : functions) EXPECT_EQ((*function)(1), 2);
}

TEST_F(StubTableTest, RetiredStubAsksItsLastOwner) {
  Function function{PlusOne};
  StubTable& table = WithHandler(&PublishAndGoToBody);
  MakeStub(table, function);
  EXPECT_EQ(function(1), 2);
  const Stub stub = function.stub;
  auto last = std::make_shared<Function>();
  last->body = TimesTwo;
  last->stub = stub;
  table.Retire(stub, last);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(stub.address().InThisProcess<int (*)(int)>()(7), 14);
  EXPECT_EQ(last->first_calls, 1);
}

TEST_F(StubTableTest, RetiredStubsAreGivenOutAgainTheOldestFirst) {
  StubTable& table = WithHandler(&GoToBody);
  std::vector<Function> functions(StubTable::kKeptRetired + 2);
  auto owner = std::make_shared<int>();
  for (Function& function : functions) {
    function.body = PlusOne;
    MakeStub(table, function);
  }
  for (size_t i = 0; i <= StubTable::kKeptRetired; ++i) table.Retire(functions[i].stub, owner);
  EXPECT_EQ(owner.use_count(), StubTable::kKeptRetired + 2);
  Function next{TimesTwo};
  MakeStub(table, next);
  EXPECT_EQ(owner.use_count(), StubTable::kKeptRetired + 1);
  EXPECT_EQ(next.stub.address(), functions[0].stub.address());
  EXPECT_EQ(next(21), 42);
  Function another{TimesTwo};
  MakeStub(table, another);
  EXPECT_NE(another.stub.address(), functions[1].stub.address());
  EXPECT_EQ(functions.back()(1), 2);
}

TEST_F(StubTableTest, GivesItsMemoryBack) {
  Function function{PlusOne};
  MakeStub(WithHandler(&GoToBody), function);
  EXPECT_NE(memory_->usage().used.total(), 0u);
  table_ = nullptr;
  EXPECT_EQ(memory_->usage().used.total(), 0u);
}

}  // namespace
}  // namespace firstcall

#include "runtime/link/function_table.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ids.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/executor_address.h"
#include "memory/in_process_mapper.h"
#include "memory/owned_code.h"
#include "memory/unwind_registry.h"
#include "runtime/link/call_failures.h"
#include "runtime/link/source_module.h"
#include "runtime/process/exit_handlers.h"
#include "runtime/process/work_scope.h"
#include "seam/options.h"
#include "seam/symbol.h"
#include "seam/symbol_index_builder.h"
#include "stubs/stub_architecture.h"
#include "stubs/stub_table.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

constexpr ExecutorAddress kBody(0x1000);

class FunctionTableTest : public testing::Test {
 protected:
  using ClaimOrResult = FunctionTable::ClaimOrResult;

  // Claims the function, and ends the claim with `status`, without publishing.
  absl::Status Fail(absl::Status status) {
    ClaimOrResult claim(functions_, key_);
    EXPECT_TRUE(claim.is_claim());
    claim.End(std::move(status));
    return claim.result();
  }
  bool CanClaim() { return ClaimOrResult(functions_, key_).is_claim(); }

  // Not a plain member: a scope may unwind its thread, and tests may not.
  const std::unique_ptr<WorkScope> scope_ = std::make_unique<WorkScope>();
  const std::shared_ptr<ArenaMemory> memory_ =
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), ArenaMemoryOptions()).value();
  StubTable stubs_{HostStubArchitecture(), memory_, std::make_shared<UnwindRegistry>(),
                   &FunctionTable::HandleFirstCall};
  FunctionTable functions_{stubs_, std::make_shared<CallFailures>(FailureHandler())};
  const FunctionKey key_{nullptr, SymbolOrdinal{7}};
};

TEST_F(FunctionTableTest, OneThreadHasTheClaimAndOthersGetTheResult) {
  ClaimOrResult claim(functions_, key_);
  ASSERT_TRUE(claim.is_claim());
  std::thread other([&] {
    const WorkScope scope;
    const ClaimOrResult waits(functions_, key_);
    EXPECT_FALSE(waits.is_claim());
    EXPECT_THAT(waits.result(), IsOk());
    EXPECT_EQ(functions_.BodyOf(key_), kBody);
  });
  functions_.Publish(key_, kBody);
  claim.End(absl::OkStatus());
  EXPECT_FALSE(claim.is_claim());
  EXPECT_THAT(claim.result(), IsOk());
  other.join();
}

TEST_F(FunctionTableTest, AFailureIsTheResultAgain) {
  EXPECT_EQ(Fail(absl::InvalidArgumentError("wrong")), absl::InvalidArgumentError("wrong"));
  functions_.NoteAddition();
  const ClaimOrResult again(functions_, key_);
  EXPECT_FALSE(again.is_claim());
  EXPECT_EQ(again.result(), absl::InvalidArgumentError("wrong"));
}

TEST_F(FunctionTableTest, AMissingSymbolIsLookedForAgainAfterAnAddition) {
  EXPECT_EQ(Fail(absl::NotFoundError("missing")), absl::NotFoundError("missing"));
  EXPECT_EQ(ClaimOrResult(functions_, key_).result(), absl::NotFoundError("missing"));
  functions_.NoteAddition();
  EXPECT_TRUE(CanClaim());
}

TEST_F(FunctionTableTest, AFailureThatMayPassIsNotKept) {
  EXPECT_EQ(Fail(absl::ResourceExhaustedError("full")), absl::ResourceExhaustedError("full"));
  EXPECT_TRUE(CanClaim());
}

TEST_F(FunctionTableTest, SuccessWithoutABodyIsAFailure) {
  const absl::Status status = Fail(absl::OkStatus());
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("compiled, but not published"));
}

TEST_F(FunctionTableTest, AClaimThatIsLeftFails) {
  { const ClaimOrResult left(functions_, key_); }
  const ClaimOrResult again(functions_, key_);
  EXPECT_FALSE(again.is_claim());
  EXPECT_EQ(again.result().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(again.result().message(), HasSubstr("left by an exception"));
}

TEST_F(FunctionTableTest, WhoNeedsOnlyLabelsDoesNotWaitForTheBody) {
  ClaimOrResult claim(functions_, key_);
  ASSERT_TRUE(claim.is_claim());
  std::thread other([&] {
    const WorkScope scope;
    const ClaimOrResult waits(functions_, key_, FunctionTable::Need::kLabels);
    EXPECT_FALSE(waits.is_claim());
    EXPECT_THAT(waits.result(), IsOk());
  });
  functions_.NoteLabels(key_);
  other.join();
  EXPECT_EQ(functions_.BodyOf(key_), std::nullopt);
  functions_.Publish(key_, kBody);
  claim.End(absl::OkStatus());
  EXPECT_THAT(claim.result(), IsOk());
}

TEST_F(FunctionTableTest, AClaimedFunctionIsCompiledAtItsOwnCallIfItIsReleased) {
  EXPECT_TRUE(functions_.Claim(key_));
  EXPECT_FALSE(functions_.Claim(key_));
  functions_.Release(key_);
  EXPECT_TRUE(CanClaim());
}

int Answer() { return 42; }

// A table with one function, called through its stub. What `before_work` points to runs when a call
// has left the stub, and the engine has not begun to work for it.
class CallInFlight : public testing::Test {
 protected:
  static ExecutorAddress Handle(const std::atomic<void*>& owner) {
    if (before_work) std::exchange(before_work, nullptr)();
    return FunctionTable::HandleFirstCall(owner);
  }

  CallInFlight() {
    Symbol symbol;
    symbol.name = "answer";
    symbol.is_definition = true;
    SymbolIndexBuilder index(1);
    EXPECT_THAT(index.Add(symbol), IsOk());
    module_ = std::make_shared<SourceModule>(
        ModuleId{0}, "module", LibraryId{0}, Mode::kLazy, /*is_far=*/false, /*is_reopenable=*/false,
        std::make_shared<SymbolIndex>(index.Finish()),
        std::make_unique<OwnedCode>(memory_, unwind_registry_), dso_handle_, nullptr);
    key_ = {module_.get(), SymbolOrdinal{0}};
  }

  static inline std::function<void()> before_work;
  const std::shared_ptr<ArenaMemory> memory_ =
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), ArenaMemoryOptions()).value();
  const std::shared_ptr<UnwindRegistry> unwind_registry_ = std::make_shared<UnwindRegistry>();
  StubTable stubs_{HostStubArchitecture(), memory_, unwind_registry_, &CallInFlight::Handle};
  FunctionTable functions_{stubs_, std::make_shared<CallFailures>(FailureHandler())};
  ExitHandlers exit_handlers_;
  DsoHandle dso_handle_{exit_handlers_};
  std::shared_ptr<SourceModule> module_;
  FunctionKey key_;
};

TEST_F(CallInFlight, GoesOnToTheBodyOfAFunctionThatIsDetachedMeanwhile) {
  absl::StatusOr<ExecutorAddress> stub = functions_.AddressOf(key_);
  ASSERT_THAT(stub, IsOk());
  std::vector<NamedStub> detached;
  before_work = [&] {
    functions_.Publish(key_, ExecutorAddress(reinterpret_cast<uint64_t>(&Answer)));
    detached = functions_.Detach(*module_);
  };
  EXPECT_EQ(stub->InThisProcess<int (*)()>()(), 42);
  EXPECT_FALSE(before_work);
  ASSERT_EQ(detached.size(), 1);
  EXPECT_EQ(detached[0].function, "answer");
}

}  // namespace
}  // namespace firstcall

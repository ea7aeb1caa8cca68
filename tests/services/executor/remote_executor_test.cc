// Code that is written here and runs in another process, through all parts: arena,
// shared_memory_mapper, socket_connection, serve_executor, shared_memory_executor.

#include "tests/services/executor/remote_executor.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/arena.h"
#include "services/executor/shared_memory_mapper.h"
#include "tests/memory/machine_code.h"
#include "tests/memory/memory_maps.h"
#include "tests/testing/host.h"
#include "tests/testing/limits.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const ArenaSizes kSmall = {1 << 20, 1 << 20, 8 << 20};

// --- What runs in the executing process, as an action ---

void Die(void*) { raise(SIGKILL); }

void SleepForever(void* argument) {
  __atomic_store_n(&static_cast<CallRequest*>(argument)->is_started, 1, __ATOMIC_RELEASE);
  while (true) pause();
}

void AllowNoFiles(void*) {
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void AllowLittleAddressSpace(void*) {
  uint64_t size = uint64_t{64} << 20;
  for (const MemoryMap& map : MemoryMapsOf(getpid())) size += map.end - map.begin;
  rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = size;
  setrlimit(RLIMIT_AS, &limit);
}

class RemoteExecutorTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_OK_AND_ASSIGN(arena_, Arena::Create(executor_.mapper(), kSmall)); }

  Slab slab() const { return {arena_->begin(), arena_->usage().reserved}; }

  absl::StatusOr<MemoryBlock> Write(Segment segment, const void* bytes, size_t size) {
    FIRSTCALL_ASSIGN_OR_RETURN(const MemoryBlock block, arena_->Allocate(segment, size, 16));
    std::memcpy(block.write, bytes, size);
    return block;
  }
  absl::StatusOr<MemoryBlock> Write(const std::string& code) {
    return Write(Segment::kCode, code.data(), code.size());
  }
  // A request to call `function`.
  absl::StatusOr<MemoryBlock> WriteRequest(ExecutorAddress function = {}) {
    CallRequest request;
    request.function = function;
    return Write(Segment::kData, &request, sizeof(request));
  }

  RemoteExecutor executor_;
  const pid_t child_ = executor_.process();
  SharedMemoryMapper* const mapper_ = executor_.mapper().get();
  std::unique_ptr<Arena> arena_;
};

// Whether the other process begins with it within ten seconds.
bool IsStarted(const CallRequest& request) {
  for (int i = 0; i < 10000; ++i) {
    if (__atomic_load_n(&request.is_started, __ATOMIC_ACQUIRE) != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST_F(RemoteExecutorTest, CodeWrittenHereRunsThere) {
  ASSERT_OK_AND_ASSIGN(const MemoryBlock code, Write(kReturns42));
  ASSERT_OK_AND_ASSIGN(const MemoryBlock data, WriteRequest(code.run));
  ASSERT_THAT(arena_->Finalize({code, data}), IsOk());
  ASSERT_THAT(mapper_->Finalize(slab(), {{}, {CallAction(data.run)}, {}}), IsOk());
  const auto* answer = reinterpret_cast<const CallRequest*>(data.write);
  EXPECT_EQ(answer->result, 42);
  EXPECT_EQ(answer->process, child_);
}

TEST_F(RemoteExecutorTest, NothingIsWritableAndExecutableInEitherProcess) {
  ASSERT_OK_AND_ASSIGN(const MemoryBlock code, Write(kReturns42));
  ASSERT_OK_AND_ASSIGN(const MemoryBlock constant, Write(Segment::kReadOnly, "text", 5));
  ASSERT_OK_AND_ASSIGN(const MemoryBlock data, WriteRequest());
  for (const MemoryBlock& block : {code, constant, data}) {
    EXPECT_EQ(PermissionsAt(child_, block.run), "---");
    EXPECT_EQ(PermissionsAt(getpid(), ExecutorAddress::Of(block.write)), "rw-");
  }
  ASSERT_THAT(arena_->Finalize({code, constant, data}), IsOk());
  EXPECT_EQ(PermissionsAt(child_, constant.run), "r--");
  EXPECT_EQ(PermissionsAt(child_, data.run), "rw-");
  // Pages of which nothing was finalized.
  EXPECT_EQ(PermissionsAt(child_, code.run + mapper_->page_size()), "---");
  for (const MemoryBlock& block : {code, constant, data}) {
    EXPECT_EQ(PermissionsAt(getpid(), ExecutorAddress::Of(block.write)), "rw-");
  }
  EXPECT_EQ(WritableAndExecutable(getpid()), 0);
  if (IsEmulated()) {
    GTEST_SKIP() << "what the system tells of the other process is about its emulator, which "
                    "translates code and never executes the pages themselves";
  }
  EXPECT_EQ(PermissionsAt(child_, code.run), "r-x");
  EXPECT_EQ(WritableAndExecutable(child_), 0);
}

// The first function runs in the child while the second is written to its page, finalized and run.
TEST_F(RemoteExecutorTest, FunctionComesToAPageInWhichAnotherRuns) {
  ASSERT_OK_AND_ASSIGN(const MemoryBlock first, Write(kWaitsAndReturns7));
  ASSERT_OK_AND_ASSIGN(const MemoryBlock first_data, WriteRequest(first.run));
  ASSERT_THAT(arena_->Finalize({first, first_data}), IsOk());
  auto* waiting = reinterpret_cast<CallRequest*>(first_data.write);
  absl::Status first_status;
  std::thread caller([&] {
    first_status = mapper_->Finalize(slab(), {{}, {CallAction(first_data.run)}, {}}).status();
  });
  EXPECT_TRUE(IsStarted(*waiting));

  ASSERT_OK_AND_ASSIGN(const MemoryBlock second, Write(kReturns43));
  ASSERT_EQ(second.run.value() / mapper_->page_size(), first.run.value() / mapper_->page_size());
  ASSERT_OK_AND_ASSIGN(const MemoryBlock second_data, WriteRequest(second.run));
  EXPECT_THAT(arena_->Finalize({second, second_data}), IsOk());
  EXPECT_THAT(mapper_->Finalize(slab(), {{}, {CallAction(second_data.run)}, {}}), IsOk());
  EXPECT_EQ(reinterpret_cast<const CallRequest*>(second_data.write)->result, 43);
  EXPECT_EQ(waiting->result, 0);

  __atomic_store_n(&waiting->until, 1, __ATOMIC_RELEASE);
  caller.join();
  EXPECT_THAT(first_status, IsOk());
  EXPECT_EQ(waiting->result, 7);
}

TEST_F(RemoteExecutorTest, FreedCodeIsReplaced) {
  ASSERT_OK_AND_ASSIGN(const MemoryBlock data, WriteRequest());
  auto* request = reinterpret_cast<CallRequest*>(data.write);
  ASSERT_THAT(arena_->Finalize({data}), IsOk());
  for (int i = 0; i < 20; ++i) {
    ASSERT_OK_AND_ASSIGN(const MemoryBlock code, Write(i % 2 == 0 ? kReturns42 : kReturns43));
    request->function = code.run;
    ASSERT_THAT(arena_->Finalize({code}), IsOk());
    ASSERT_THAT(mapper_->Finalize(slab(), {{}, {CallAction(data.run)}, {}}), IsOk());
    EXPECT_EQ(request->result, 42 + i % 2);
    arena_->Free(code);
  }
}

TEST_F(RemoteExecutorTest, LackOfAddressSpaceThereIsAnErrorHere) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not carry out limits of address space";
  ASSERT_THAT(mapper_->Finalize(slab(), {{}, {Action(&AllowLittleAddressSpace)}, {}}), IsOk());
  EXPECT_THAT(mapper_->Reserve(size_t{1} << 30, ExecutorAddress()),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "code memory: reserving address space: Cannot allocate memory"));
  EXPECT_THAT(mapper_->Reserve(mapper_->page_size(), ExecutorAddress()), IsOk());
}

TEST_F(RemoteExecutorTest, LackOfFilesThereIsAnErrorHere) {
  if (testing::kSanitizerOpensPipes) GTEST_SKIP() << "the sanitizer opens pipes";
  ASSERT_OK_AND_ASSIGN(const Slab small, mapper_->Reserve(mapper_->page_size(), ExecutorAddress()));
  const SlabSegment page{{0, mapper_->page_size()}, Protection::kRead};
  EXPECT_THAT(mapper_->Initialize(small, {page}), IsOk());
  ASSERT_THAT(mapper_->Finalize(slab(), {{}, {Action(&AllowNoFiles)}, {}}), IsOk());
  EXPECT_THAT(
      mapper_->Initialize(small, {page}),
      StatusIs(absl::StatusCode::kResourceExhausted, "code memory: shm_open: Too many open files"));
  EXPECT_THAT(mapper_->Release(small), IsOk());
}

TEST_F(RemoteExecutorTest, ExecutingProcessThatDiesIsAnErrorForAllWhoWait) {
  ASSERT_OK_AND_ASSIGN(const MemoryBlock data, WriteRequest());
  ASSERT_THAT(arena_->Finalize({data}), IsOk());
  absl::Status waiting;
  std::thread caller([&] {
    waiting = mapper_->Finalize(slab(), {{}, {Action(&SleepForever, data.run)}, {}}).status();
  });
  EXPECT_TRUE(IsStarted(*reinterpret_cast<const CallRequest*>(data.write)));
  ASSERT_EQ(kill(child_, SIGKILL), 0);
  caller.join();
  const auto is_gone = StatusIs(absl::StatusCode::kUnavailable,
                                StartsWith("code memory: the executing process is gone: "));
  EXPECT_THAT(waiting, is_gone);
  EXPECT_TRUE(WIFSIGNALED(executor_.ExitStatus()));

  const SlabSegment page{{0, mapper_->page_size()}, Protection::kRead};
  EXPECT_THAT(mapper_->Reserve(mapper_->page_size(), ExecutorAddress()), is_gone);
  EXPECT_THAT(mapper_->Initialize(slab(), {page}), is_gone);
  EXPECT_THAT(mapper_->Finalize(slab(), {{page}, {}, {}}), is_gone);
  EXPECT_THAT(mapper_->Deallocate({1}), is_gone);
  EXPECT_THAT(mapper_->SynchronizeInstructions(), is_gone);
  EXPECT_THAT(arena_->Finalize({data}), is_gone);
  EXPECT_THAT(SharedMemoryMapper::Create(executor_.connection()), is_gone);
  // What was written can still be read here, until it is released.
  EXPECT_EQ(PermissionsAt(getpid(), ExecutorAddress::Of(data.write)), "rw-");
  EXPECT_THAT(mapper_->Release(slab()), is_gone);
  EXPECT_EQ(PermissionsAt(getpid(), ExecutorAddress::Of(data.write)), "");
}

TEST_F(RemoteExecutorTest, ActionThatKillsItsProcessIsAnError) {
  EXPECT_THAT(mapper_->Finalize(slab(), {{}, {Action(&Die)}, {}}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("gone")));
  EXPECT_TRUE(WIFSIGNALED(executor_.ExitStatus()));
}

TEST_F(RemoteExecutorTest, ForkedChildOfTheCompilingProcessHasNoExecutor) {
  ASSERT_OK_AND_ASSIGN(const MemoryBlock code, Write(kReturns42));
  const pid_t other = fork();
  ASSERT_GE(other, 0);
  if (other == 0) {
    const absl::Status status = arena_->Allocate(Segment::kCode, 16, 16).status();
    const absl::Status finalized = arena_->Finalize({code});
    arena_.reset();
    _exit(absl::IsFailedPrecondition(status) && absl::IsFailedPrecondition(finalized) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
  // And this one goes on as before.
  ASSERT_OK_AND_ASSIGN(const MemoryBlock data, WriteRequest(code.run));
  ASSERT_THAT(arena_->Finalize({code, data}), IsOk());
  ASSERT_THAT(mapper_->Finalize(slab(), {{}, {CallAction(data.run)}, {}}), IsOk());
  EXPECT_EQ(reinterpret_cast<const CallRequest*>(data.write)->result, 42);
}

}  // namespace
}  // namespace firstcall
